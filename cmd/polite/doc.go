// Polite is the command of module github.com/go-polite/polite. It fetches pages
// as a well-behaved crawler does: robots.txt is asked first, and what the site
// disallows is not requested. And it tells what a robots.txt says, why a page is
// blocked, and what is wrong with the file.
//
//	polite get [-A user-agent] [-o file] [--json] URL...
//	polite check [-A agent]... [-f file] [-v] [--json] [URL...]
//	polite lint [--strict] [--ignore id]... [--json|--sarif] URL|file...
//	polite sitemaps [--json] URL|file
//	polite records [--json] URL|file
//	polite demo
//	polite version
//	polite help [command|robots.txt]
//
// # Exit status
//
// It means the same for all commands:
//
//	0  fine: fetched, allowed, nothing to be fixed
//	1  any other failure; of lint, something to be fixed
//	2  a command that makes no sense; then nothing was asked for or read
//	3  disallowed by robots.txt
//	4  robots.txt cannot be had: the site cannot be reached, or the file not read
//
// Of several URLs, it is that of the first that is not fine; of lint, 4 if any file
// cannot be read. When standard output
// is closed, as head closes it, the commands exit silently; only get reports what
// it has not fetched.
//
// # Get
//
// Get writes the pages to standard output, or to the file of -o, and a line for
// each request to standard error: what robots.txt says about it and why. Each hop
// of a redirect is a request of its own. If it has to wait for more than a second,
// since the site asks for that, a line says so before, unless there is --json.
// Every URL is tried, unless what came before it could not be written. The HTTP
// status of a page is no failure.
//
//	allowed     200  https://example.com/a  (line 4: allow: /a)
//	disallowed       https://example.com/private/x  by "disallow: /private", line 2 of https://example.com/robots.txt (group "*")
//	unreachable      https://example.org/  because https://example.org/robots.txt answered 500 Internal Server Error
//	failed           https://example.net/  dial tcp 192.0.2.1:443: connect: connection refused
//
// With --json the lines are JSON objects, one a line. All have url and allowed;
// the others are left out where they are empty:
//
//	url               what was asked for, without its password
//	hop               2 and more after redirects
//	redirected_from   the URL that led here
//	allowed           whether robots.txt allows it, as far as is known
//	reason            rule, no-rule, unavailable, unreachable, robots.txt or not-http
//	status            the HTTP status of the page
//	error             why there is no page
//	origin            the site: scheme, host and port
//	agent             our product token
//	group             the token of the group that speaks to us
//	rule, line        the rule that decided, and where it stands
//	robots_url        the robots.txt that was asked for
//	robots_status     its HTTP status
//	robots_hops       where it redirected to
//	robots_error      why there was no answer to rely on
//	robots_truncated  whether it is longer than what is read of it
//	delay             the seconds that are kept between the starts of two requests
//	site_delay        those that the site's crawl-delay asks for, which may be more
//	next              when to ask for robots.txt again
//
// # Check
//
// Check decides as get does, without asking for the pages, and tells more about
// it: for several URLs in a line each, for several crawlers in a table, and for
// one URL, or with -v, all there is to say. Of Google's crawlers it knows which go
// by a second token, and which not by "*".
//
//	disallowed  https://example.com/private/x
//
//	  crawler     GPTBot
//	  robots.txt  https://example.com/robots.txt
//	              200 OK, fetched now
//	  group       "*", line 1: no group is for GPTBot
//	  rules       length  line  rule
//	                   8     2  disallow: /private  <- decides: the longest
//	                   1     4  allow: /
//
//	       1 | User-agent: *
//	>      2 | Disallow: /private
//	         ...
//	       4 | Allow: /
//
// The length of a rule is the number of its octets after normalisation, as RFC
// 9309 §2.2.2 has it. With --json there is an object a line for each URL and
// crawler, which has besides the fields above:
//
//	url             as it was given, without its password
//	error           why there is no verdict
//	agents          the product tokens of the crawler, most specific first
//	agent           the one that robots.txt names, else the first
//	group_reason    own-token, fallback-token, everyone (the group is "*") or none
//	rule_reason     only, longest, allow-on-tie or first-of-equals
//	matches         the rules that match, each with rule, line and length; the first decides
//	lines           the lines of the file that name the group or match, each with line and text
//	robots_url      the robots.txt, or the name of the file of -f
//	robots_fetched  when it was
//
// # Lint
//
// Lint writes what it finds to standard output, and a summary to standard error.
// By default only errors make it fail, with --strict warnings too. With --json
// there is an object a line with file, line, column, severity, id and message, and
// with more for the last of a check that has too many to be listed: their number;
// with --sarif one SARIF 2.1.0 log, which tells of sources that cannot be read too,
// and whose columns count UTF-16 code units; elsewhere they count octets.
//
// # Sitemaps and records
//
// Sitemaps prints absolute http and https URLs and nothing else. It completes the
// relative ones of a site, and tells on standard error what it leaves out. What RFC
// 3986 gives no place in a path or a query is percent-encoded: brackets, for one,
// from which curl makes many URLs. Records prints a line for each record, which begins
// with the record's number.
//
// # Terminals, logs and pipes
//
// Nothing that a site, a file or an argument says acts where it is shown. Control
// characters, marks of direction, invisible characters, octets that are not UTF-8,
// and the bracket of "##[", which begins a command in the logs of CI systems, are
// escaped: in text as in Go's string literals ("\x1b", "\u202e"), in URLs by "%", as
// a space is there. Get does so with pages too if it writes them to a terminal;
// anywhere else they go as they are.
//
// JSON and SARIF have escapes of their own for these characters, so that a value is
// what the site wrote; but octets that are not UTF-8 are U+FFFD, and messages are
// escaped as text is.
//
// No line begins with what others wrote, where "-" may be an option to the next
// command of a pipe, and "::" a command to a CI system: lint writes "./" before the
// name of such a file.
//
// There are colours on a terminal, unless NO_COLOR is set or TERM is dumb.
//
// # Demo
//
// Demo plays three small sites on this machine, lets a client of package polite
// loose on them, and shows what it does. It needs no network.
package main
