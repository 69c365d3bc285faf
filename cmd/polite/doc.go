// Polite is the command of module github.com/go-polite/polite. It fetches pages as a
// well-behaved crawler does: it asks for robots.txt first, and does not request a page
// that the site disallows. It also tells what a robots.txt says, why a page is
// disallowed, and what is wrong with the file.
//
//	polite get [-A user-agent] [-H header]... [-I] [-o file|-O] [-s] [--max-time time] [--sites file] [--json] [--refresh|--no-cache] URL...
//	polite check [-A agent]... [-f file|--sites file] [-v|-q|--json|--csv] [--timeout time] [--color when] [--no-cache] [URL...]
//	polite check --expect file [-f file|--sites file] [-q|--json] [--timeout time] [--color when] [--no-cache]
//	polite lint [--strict] [--ignore id]... [-q|--json|--csv|--sarif] [--timeout time] [--color when] [--no-cache] URL|file...
//	polite lint --explain id
//	polite diff [-A agent]... [--urls file] [--json|--csv|--markdown] [--timeout time] [--color when] [--no-cache] old new
//	polite tester [-A agent] [-f file] [--port number] [--no-open] [--no-cache] [link|file|URL...]
//	polite crawlers [--json] [name...]
//	polite sitemaps [--json] [--timeout time] [--no-cache] URL|file...
//	polite records [--json] [--timeout time] [--no-cache] URL|file...
//	polite cache [list|clear] [--json]
//	polite demo
//	polite completion bash|zsh|fish
//	polite man
//	polite version
//	polite help [command|robots.txt|sites|usage]
//
// Flags of one letter may be written as one: -vA GPTBot is -v -A GPTBot. A time is in
// seconds (10), or has its unit (2m).
//
// # Exit status
//
// The exit status means the same for all commands:
//
//	0  all went well: fetched, allowed, nothing to be fixed
//	1  any other failure; of lint, something is to be fixed
//	2  the command makes no sense, and nothing was asked for or read
//	3  disallowed by robots.txt; of diff, a verdict changes; of check --expect, one is not as expected
//	4  robots.txt could not be fetched or read
//
// For several URLs, get and check exit with the status of the first URL that did not go
// well. Lint exits with 4 if it could not read one of its files, sitemaps and records
// too. If standard output is closed, as head closes it, the commands exit silently; but
// get reports each page that it has not fetched.
//
// # Get
//
// Get writes the pages to standard output, or to the file of -o. For each request it
// writes a line to standard error: what robots.txt says about the request, and why.
// Each hop of a redirect is a request of its own. If a request has to wait for more
// than a second, because the site asks for it, a line says so before; with --json there
// is no such line. Get tries every URL, unless the pages can no longer be written. The
// HTTP status of a page is not a failure. With -s it writes lines only about URLs that
// were not fetched.
//
// What -H says is sent to the site of the URL alone: the request for robots.txt does not
// have it, nor does a request after a redirect to another site. The User-Agent cannot be
// among it: polite sends the one of -A, since robots.txt is about this crawler. The Host
// cannot either. No value of -H is shown. With -I, get writes the header of the answer, in
// the order of the names; it hides the values of cookies. With -O it names the file of a
// page by the last part of the URL's path, "index.html" if there is none; it overwrites no
// file.
//
// The file of --sites says what is different for some sites: package sites reads it.
//
//	allowed     200  https://example.com/a  (line 4: allow: /a)
//	allowed     200  https://example.edu/x  (the owner has agreed: sites.txt:5)
//	disallowed       https://example.com/private/x  by "disallow: /private", line 2 of https://example.com/robots.txt (group "*")
//	unreachable      https://example.org/  because https://example.org/robots.txt answered 500 Internal Server Error
//	failed           https://example.net/  dial tcp 192.0.2.1:443: connect: connection refused
//
// With --json, each line is a JSON object. All objects have url and allowed; the other
// fields are left out if they are empty:
//
//	url               the URL of the request, without its password
//	hop               the number of the hop, if it is not the first
//	redirected_from   the URL that redirected to this one
//	allowed           whether robots.txt allows it, as far as is known
//	reason            rule, no-rule, unavailable, unreachable, agreed, robots.txt or not-http
//	agreement         the line of the file of --sites that says so, if the owner has agreed
//	status            the HTTP status of the page
//	error             why there is no page
//	file              the file of the page, with -O
//	origin            the site: scheme, host and port
//	agent             our product token
//	group             the token of the group that speaks to us
//	rule, line        the rule that decided, and its line in robots.txt
//	robots_url        the URL of robots.txt
//	robots_status     the HTTP status of robots.txt
//	robots_hops       the URLs to which robots.txt redirected
//	robots_error      why robots.txt could not be fetched
//	robots_truncated  whether robots.txt is longer than the part that is read
//	delay             the seconds between the starts of two requests, as polite waits
//	site_delay        the seconds that the site's crawl-delay asks for; may be more
//	next              when polite will ask for robots.txt again
//	provenance        of a page: what the site and the page say, to be kept beside the page
//
// If polite could not fetch robots.txt, this is kept, and the next run may not ask again.
// The line says when polite will. A line about the cache is an object with the field
// warning alone, or error if the pages could not be written.
//
// # Check
//
// Check decides as get does, but does not ask for the pages. For several URLs it
// writes a line each, for several crawlers a table. If the table is wider than the
// terminal, each crawler has a row below the URL. For one URL, or with -v, it tells
// the whole story. The verdicts come in the order of the URLs, unless a site takes longer
// than a second: then those on other sites come first. In a list of URLs, "#" begins a
// comment at the beginning of a line, and after a space.
//
// It knows which of Google's crawlers go by a second token, and which do not go by "*".
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
// The length of a rule is the number of its octets after normalisation (RFC 9309
// §2.2.2). With --json, check writes an object a line for each URL and crawler. It has
// the fields above, some with another meaning, and more:
//
//	url             the URL as it was given, without its password
//	error           why there is no verdict
//	agents          the product tokens of the crawler, the most specific first
//	agent           the token that robots.txt names, or the first
//	group_reason    own-token, fallback-token, everyone (the group is "*") or none
//	rule_reason     only, longest, allow-on-tie or first-of-equals
//	matches         the rules that match, each with rule, line and length; the first decides
//	lines           the lines of the file that name the group or match, each with line and text
//	robots_url      the URL of robots.txt, or the name of the file of -f
//	uses            what robots.txt says about the use of a page that is allowed
//	robots_fetched  when robots.txt was fetched
//
// Each of uses has use, such as train-ai; says, which is yes, no or "not stated"; and the
// line that decides, with what it says in value. "polite help usage" tells more.
//
// With --csv, the first line names the columns: verdict (allowed, disallowed, unreachable
// or failed), crawler, url, line, rule, group, robots_url and error. An apostrophe precedes
// a cell that a spreadsheet would take for a formula.
//
// With --expect, check writes the verdicts that are not as a file says, a line each:
// the file and the line, the verdict and why, or an object with the fields above, and
// with place, expected and outcome. A line of the file has a URL, a crawler and a
// verdict (allowed or disallowed), with spaces or, as in CSV, commas between. "*" is
// any crawler that robots.txt does not name. What follows " #" is a comment. If a line
// makes no sense, if the file expects nothing, or if robots.txt could not be fetched,
// this is told, and the exit status is 1 or 4, whatever else is found.
//
// # Lint
//
// Lint writes its findings to standard output, and a summary to standard error. It
// fails if there is an error; with --strict also if there is a warning. Columns count
// octets. Below a finding there is the line that it is about, with a mark at the place;
// both are indented by spaces. With --explain, lint tells what a finding means.
//
// Lint does not look for what a comment of the file says to ignore, in the comment's line
// and, if the comment stands alone, in the next:
//
//	# polite-lint: ignore never-wins, redundant-rule
//
// With --json, it writes an object a line with file, line, column, severity, id and
// message. If a check finds more than can be listed, its last object has the number of
// the others in more. If one edit does what the message says, and the author need not
// choose, edit has it:
//
//	"edit":{"from":0,"to":7,"text":"Disallow"}
//
// It writes text in place of the octets of the line that begin at from, and end before to.
// They count from 0, with the byte order mark that the first line may have. A text with a
// line end makes two lines of one. A text without anything may leave a blank line. After an
// edit, lint the file again: other edits of the line may no longer fit.
//
// With --csv, the first line names the columns: file, line, column, severity, id and
// message. With --sarif, it writes one SARIF 2.1.0 log, which also tells the sources that
// could not be read, and has the edits as fixes. Columns in the log count UTF-16 code units.
//
// # Diff
//
// Diff writes what changes from one robots.txt to another. First come the verdicts that
// change, each with the rules that decide before and after. If there is no list of URLs,
// package robots/diff invents them. Then come the rules of the crawlers that are new, gone
// or moved to another group, crawl-delays, and all other records. A rule that is new or gone
// may change no verdict, because another rule says the same. With --json, each line is an
// object. Fields are left out if they are empty; in CSV they are columns:
//
//	kind                verdict, rule, delay or record
//	change              of a verdict allowed or disallowed: what it is now; new, gone or moved; of a delay now
//	url                 of a verdict: a path if it is invented
//	text                the rule or the record
//	crawlers            the crawlers with this verdict or delay; the product tokens that now have the rule or record
//	from                the product tokens that had the rule or record
//	before, after       the verdicts or delays
//	old_rule, old_line  the rule that decided in the old file, or the line of the rule or record
//	new_rule, new_line  likewise in the new file
//	effect              whether a verdict changes because of the rule
//
// The crawlers are those that one of the files names, and "*" for any other. In CSV, a cell
// that a spreadsheet would take for a formula begins with an apostrophe. With --markdown,
// diff writes the comment of a review, with at most 50 verdicts, and the text of the files
// as code.
//
// # Tester
//
// Tester prints the link of its page, and serves the page until Ctrl-C. It listens on
// 127.0.0.1 alone. Who has the link can use the page: it has a random part, without which
// nothing is served. The link is never among the arguments of a process, which other users
// of the machine may see: the browser is given a file that only you can read, and the file
// is removed as soon as the page is shown. Other pages cannot use the tester, nor can names
// that others make lead to this machine. The page has the answers of check, lint and diff.
// It sends nothing to any site, but for the robots.txt that you click to load, as check
// does. A link that the page makes has all that the page shows in its fragment, which
// browsers do not send.
//
// # Sitemaps and records
//
// Sitemaps writes absolute http and https URLs, and nothing else. It completes the
// relative URLs of a site, and tells on standard error what it leaves out. It
// percent-encodes each character that RFC 3986 allows neither in a path nor in a query.
// The brackets are such characters: curl makes many URLs of one with brackets.
//
// Records writes a line for each record, which begins with the number of the record's
// line; of several files, with the file or URL, and objects of JSON have file. What a
// record says about the use of pages follows an arrow, or is in says, with use, says,
// value and path. "polite help usage" tells more.
//
// # Cache
//
// What sites answer for robots.txt is kept for the next run: a file, that there is none,
// or that it could not be fetched. So are the turns of requests: when the last one was
// sent to a site with a crawl-delay, and until when a site wants no requests. It is kept
// in one file, sites.db, in the folder polite of the user's cache folder, or in the folder
// that POLITE_CACHE names. The file grows to about 256 MiB; then old answers are deleted.
// Who can write to it decides what polite may fetch. Polite creates it so that only your
// user can, but does not check a file or folder that is there already.
//
// Get goes by what is kept. With --refresh it asks for robots.txt again. Check, lint,
// diff, sitemaps and records always ask, but keep to what is kept of turns: while a
// site wants no requests, they do not ask it either. They wait for the end of a short
// break (30 seconds), and a line to standard error says so. In a longer break check
// goes by the last answer, and says how old it is; for the others robots.txt is
// unreachable. What they learn is kept. If they could not fetch robots.txt, the last
// good answer stays. With --no-cache a command goes by nothing that is kept, and keeps
// nothing.
//
// A run has the file to itself. If another has it for more than a second, or if the file
// cannot be used, the commands go on without the cache, and tell why on standard error.
// This does not change their exit status. After a run that was killed, the first request
// to a site waits for its crawl-delay. What is kept for a crawler is not used for another
// one: the name of the crawler is the product token of its User-Agent.
//
// List writes a line for each crawler and site, which begins with how long ago the site
// has answered: "now" is less than a minute. With --json, cache writes an object with the
// fields file, bytes (of the file), answers (how many are kept: one for each crawler and
// site), files (how many of them are a robots.txt), without (how many say that there is
// none), failed (how often robots.txt could not be fetched), damaged (how many cannot be
// read), oldest and newest (when the first and the last of the answers came). List then
// writes an object a line:
//
//	origin          the site
//	agent           the product token of the crawler that asked
//	robots_status   the HTTP status of the last good answer
//	robots_hops     the URLs to which robots.txt redirected
//	robots_bytes    the size of robots.txt
//	robots_fetched  when the site has answered
//	robots_error    why robots.txt could not be fetched since
//
// # Terminals, logs and pipes
//
// Text of a site, a file or an argument does nothing where it is shown. The commands
// escape control characters, marks of direction, invisible characters, octets that are
// not UTF-8, and the bracket of "##[", which begins a command in the logs of CI systems.
// In text they escape as Go's string literals do ("\x1b", "\u202e"); in URLs they
// percent-encode, spaces too. Get escapes pages in the same way if it writes them to a
// terminal; to all else it writes them as they are.
//
// JSON and SARIF have their own escapes for these characters, so that a value is the
// text that the site wrote. Two things differ: an octet that is not UTF-8 becomes
// U+FFFD, and messages are escaped as text is.
//
// No line begins with text that others wrote, because "-" may be an option to the next
// command of a pipe, and "::" a command to a CI system. Lint writes "./" before the
// name of such a file.
//
// On a terminal there are colours, unless NO_COLOR is set or TERM is dumb. If FORCE_COLOR
// or CLICOLOR_FORCE is set, and NO_COLOR is not, there are colours everywhere. What --color
// says counts for more: auto, always or never. JSON, CSV and SARIF have no colours.
//
// If standard error is a terminal, its last line tells how far a command is, as soon as
// it takes a moment: how many URLs are done, what it waits for, and of a page how much is
// there, how fast it comes and how long it still takes. A MB is 1,000,000 bytes. The line
// is gone when the command ends. There is none if TERM is dumb, if what the user types
// would be in its place, while a page is written to the terminal, and for get --json.
//
// # Demo
//
// Demo plays three small sites on this machine, visits them with a client of package
// polite, and shows what happens. It needs no network.
package main
