// Package usage reads what a site says may be done with a page once it is fetched: show
// it in a search, give it to a model as input, train a model with it.
//
//	file := robots.Parse(body)
//	said := usage.Of(file, "https://example.com/news/1", "ExampleBot")
//	if said.Allows(usage.TrainAI) == usage.No {
//		why, _ := said.Why(usage.TrainAI) // the line of robots.txt
//	}
//
// A [Preference] is yes, no or not stated, and not stated is not no. The package enforces
// nothing, fetches no licence, and never fails: a line that it cannot read says nothing.
//
// # Where it is said
//
//	Content-Signal: search=yes, ai-train=no      robots.txt, header   one company's; on millions of domains
//	Content-Usage: /news/ train-ai=n, search=y   robots.txt, header   drafts of the IETF's working group aipref
//	Robots-Tag: otherbot;noindex                 header               an individual draft of the IETF
//	X-Robots-Tag: otherbot: noindex              header, <meta>       Google's documentation; noai is a convention
//	License: https://example.com/license.xml     robots.txt, Link     RSL 1.0
//	tdm-reservation: 1                           header, <meta>, file a report of a W3C community group
//
// # Which lines of robots.txt count
//
// The group whose rules apply to a crawler also speaks to it about use (RFC 9309 §2.2.1).
// Lines before the first group speak to everyone, but only about uses for which the
// crawler's own group says neither yes nor no.
//
// A Content-Usage record may begin with a path, which begins with "/", and matches as a
// rule does: with "*", "$" and percent-encoding. Only the records with the longest path
// that matches count. They count as a whole: a use that they do not name is not stated,
// even if a record with a shorter path names it. A record without a path is the shortest
// of all. A Content-Signal has no path, and always counts.
//
// If two of these lines speak of the same use, the more restrictive counts. Content-Signal calls
// ai-train what Content-Usage calls train-ai, and ai-input what it calls ai-use. Package usage reads
// either name in both.
//
// # How the drafts are read
//
// This is draft-ietf-aipref-attach-05 and draft-ietf-aipref-vocab-08, with these choices:
//
//   - A Content-Usage line is not a rule: it does not end a group's list of agents.
//     Package robots decides that.
//   - The value of Content-Usage is a dictionary of structured fields (RFC 9651). If any part of the
//     value is malformed, for instance a label in upper case, no statement of the line counts. Its path
//     still counts.
//   - The only values are the tokens y and n. If a line has a label twice, the last one
//     counts.
//   - A record that has a path and no statement is no record.
//   - The draft does not foresee Content-Usage outside of groups. It is read like Content-Signal
//     outside of groups.
//   - If several paths are equally long and differ, all of them count.
//   - The drafts say that a page that may not be fetched has no preferences. This package
//     tells what the lines say, whether it may be fetched or not.
//   - A label that this package does not know is kept. It may be of another version of
//     the vocabulary.
//
// Content-Signal has no grammar (draft-romm-aipref-contentsignals-00 names the labels). Case
// and white space do not matter. Its newer label "use" says how far a use may go: immediate,
// reference or full. It says yes to this level and those below, and no to those above.
//
// A search in the sense of vocab §4.3 goes by search alone, whatever the site says to other
// uses. A use that is none of these goes by its own preference.
//
// # Slips
//
// A statement that is spelled wrong says nothing. If its meaning is clear, [Statement.Slips] tells what
// it means. If it clearly means no, [Statement.Strictly] reads it as no.
//
// # Headers and meta elements
//
// [OfHeader] and [OfMeta] read what a page says itself. It always counts beside what
// robots.txt says: [Statement.And] puts both together, and no wins.
//
// Robots-Tag is a list of structured fields: product tokens, whose parameters are rules
// (draft-illyes-repext-03 §3.1.1). Its rules add up. An X-Robots-Tag counts only where there is
// no Robots-Tag, or a malformed one.
//
// noindex and none say no to Search, and so does an unavailable_after whose time is over when
// the header or element is read. noai says no to TrainAI. A tdm-reservation of 1 says
// no to TDM, and 0 says yes. [Page.Directives] has everything else that a page says.
// [ParseReservations] reads /.well-known/tdmrep.json.
package usage
