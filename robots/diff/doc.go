// Package diff tells which verdicts change when one robots.txt takes the place of
// another. It needs only the two files: it invents the paths to compare them on.
//
//	before, after := robots.Parse(old), robots.Parse(new)
//	changes, all := diff.Verdicts(before.Rules("Googlebot"), after.Rules("Googlebot"))
//
// # Why no change is missed
//
// A verdict changes on a path if the rule that decides in the old file and the one that
// decides in the new file say the opposite; if no rule decides, the path is allowed. One
// of the two is new or gone: if both files had both rules, the same one would decide. So
// it is enough to look at pairs of a rule that changed and a rule that says the opposite.
//
// Verdicts lays the patterns of such a pair over each other in every way in which they fit,
// and writes a filler where a wildcard of both is: a character that is in no pattern of
// either file. Another rule that matches such a path needs its wildcards for the filler. So
// it matches every path that the two patterns share in this way. If there is any path on
// which the two rules decide, they decide on one of these paths, too.
package diff
