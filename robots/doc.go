// Package robots reads robots.txt and tells what it allows, by RFC 9309 and
// Google's published interpretation of it. It needs nothing but bytes: no
// network, no clock.
//
//	file := robots.Parse(body)
//	file.Allowed("ExampleBot", "https://example.com/private/page?q=1")
//
// A crawler that asks often chooses its group once and matches many times:
//
//	rules := file.Rules("ExampleBot-News", "ExampleBot")
//	rule, ok := rules.Match("/private/page?q=1") // ok: a rule decided
//
// # The language
//
// A file is lines, ended by LF, CR or CRLF. A byte order mark at its start, or
// the first bytes of one, is skipped, '#' starts a comment anywhere, and white
// space around keys and values is dropped: spaces, tabs, VT and FF.
//
//	file    = *( group / record )
//	group   = 1*( user-agent *record ) *( rule / record )
//	user-agent = "user-agent" ":" ( product-token / "*" )
//	rule    = ( "allow" / "disallow" ) ":" [ pattern ]
//	record  = key ":" value            ; sitemap, crawl-delay, and any other
//	pattern = ( "/" / "*" ) *octet     ; "*" is a wildcard, a final "$" an anchor
//
// Keys are compared whole and without regard to case. The usual slips are read
// as meant: useragent and "user agent"; dissallow, dissalow, disalow, diasllow
// and disallaw; site-map; and a missing colon where a known key and its value
// are the only two words of the line. Reading never fails (RFC 9309 §2.3.1.5):
// a line that makes no sense is skipped, and a file of HTML or noise is a file
// without rules. Only the first [MaxSize] bytes count (§2.5).
//
// Only allow and disallow lines, empty ones too, end a group's list of agents.
// Blank lines, comments and other records do not (§2.2.4), so this is one group
// for a and b:
//
//	user-agent: a
//	sitemap: https://example.com/sitemap.xml
//
//	user-agent: b
//	disallow: /
//
// # Which group speaks
//
// A crawler goes by an ordered list of product tokens, most specific first. The
// first that the file names decides; if it names none, the group for "*" does;
// if there is none, everything is allowed. Groups for the same token count as
// one wherever they stand, and are never merged with those for "*" (§2.2.1).
//
// Tokens are equal when they are the same but for ASCII case: no prefixes, no
// substrings. The file's value is cut at the first octet that no token has, so
// that "googlebot/1.2" names googlebot. That is the first outside [A-Za-z_-], or
// for a crawler whose own token has digits or dots (MJ12bot, archive.org_bot)
// the first outside [A-Za-z0-9_.-].
//
// # Which rule decides
//
// A rule is matched against the path and query of a URL, octet by octet and
// from the first (§2.2.2). "*" stands for any run of octets, also an empty one;
// "$" at the end of a pattern stands for the end of the URL (§2.2.3). The
// matching rule with the longest pattern decides, on a tie an allow rule; with
// no match the URL is allowed. /robots.txt itself always is.
//
// A target is a path with its query if it begins with "/", and a URL if "://"
// precedes any path. In what is neither, the path begins at the first of "/?;", or
// else is "/": example.com/p means /p. The fragment never counts.
//
// Pattern and URL are first brought to one form:
//
//   - octets that have no place in a URL (controls, spaces, "<>\^`{|} and those beyond
//     ASCII) are percent-encoded;
//   - percent-encoded unreserved characters are decoded: %62%61%7A is baz;
//   - hexadecimal digits are upper case;
//   - reserved characters stay as they are, so that %2F in a path is not "/". In
//     the query ": / ? @" have no special part (RFC 3986 §3.4), and %3A %2F %3F
//     %40 there are the same as the plain characters;
//   - %2A and %24 mean a literal "*" and "$";
//   - a "%" that begins no octet stands for itself, also where what follows it would
//     be decoded: %2%46 is not %2F.
//
// Dot segments and doubled slashes are left alone: what is sent is what is
// matched. An empty pattern is no rule.
//
// # Where Google's open-source parser differs
//
// It expects URLs that are encoded already, and bends a few rules:
//
//   - it reads product tokens up to the first digit or dot;
//   - it lets a file disallow /robots.txt itself;
//   - it knows no limit of size;
//   - it does not decode unreserved characters: %62 is not b, and counts as three;
//   - it brings lower-case hexadecimal digits and octets beyond ASCII to one form in
//     rules, but not in URLs;
//   - it takes a space, a control and any of "<>\^`{|} for another octet than the
//     encoded one, in rules as in URLs;
//   - it takes %2A and %24 for other octets than a literal "*" and "$";
//   - it takes : / ? @ in a query for other octets than the encoded ones;
//   - it takes an allow rule for /index.html, or what else begins with /index.htm, for
//     one for the folder as well;
//   - it looks at the beginning of a key only, so that Disallowed means disallow;
//   - it reads no more than 16,663 octets of a line, and ends lines and URLs at a NUL;
//   - it takes ";" in the authority of a URL for the beginning of the path, and "//" at
//     the beginning of a target for that of an authority.
//
// Everywhere else the verdicts are the same.
//
// # What is wrong with a file
//
// Package robots/lint tells it: lines that do nothing, rules that never decide, groups that
// mean something else than they seem to, and what other crawlers read differently.
package robots
