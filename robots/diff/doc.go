// Package diff tells which verdicts change when one robots.txt takes the place of another. It needs
// only the two files: it makes up the paths on which it compares them.
//
//	before, after := robots.Parse(old), robots.Parse(new)
//	changes, all := diff.Verdicts(before.Rules("Googlebot"), after.Rules("Googlebot"))
//
// # Why no change is missed
//
// A verdict changes on a path if the rule that decides in the old file and the one that decides in the
// new file say the opposite; if no rule decides, the path is allowed. One of these two rules is new or
// gone: if both files had both rules, the same rule would decide. So it is enough to look at pairs of a
// rule that changed and a rule that says the opposite.
//
// Verdicts lays the patterns of such a pair over each other in every way in which they fit, and writes
// a filler where a wildcard of both is: a character that is in no pattern of either file. If a third
// rule matches such a path, its wildcards match the fillers. So the third rule matches every path that
// the two patterns share in this way. If the two rules decide on any path at all, they also decide on
// one of these paths.
package diff
