// Package robots reads robots.txt and tells what it allows, by RFC 9309 and
// Google's published interpretation of it. It needs only the bytes of the file: no
// network and no clock.
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
// A file consists of lines. LF, CR or CRLF ends a line. A byte order mark at the
// start of the file, or the first bytes of one, is skipped. '#' starts a comment
// anywhere. White space around keys and values is dropped: spaces, tabs, VT and FF.
//
//	file    = *( group / record )
//	group   = 1*( user-agent *record ) *( rule / record )
//	user-agent = "user-agent" ":" ( product-token / "*" )
//	rule    = ( "allow" / "disallow" ) ":" [ pattern ]
//	record  = key ":" value            ; sitemap, crawl-delay, and any other
//	pattern = ( "/" / "*" ) *octet     ; "*" is a wildcard, a final "$" an anchor
//
// Keys are compared as a whole, without regard to case. Common slips are read as
// they are meant:
//
//   - useragent and "user agent";
//   - dissallow, dissalow, disalow, diasllow and disallaw;
//   - site-map;
//   - a missing colon, if the line has only two words: a known key and its value.
//
// Reading never fails (RFC 9309 §2.3.1.5). A line that makes no sense is skipped. A
// file of HTML or noise is a file without rules. Only the first [MaxSize] bytes are
// read (§2.5).
//
// An allow or disallow line ends a group's list of agents, even if the line has no
// pattern. Blank lines, comments and other records do not (§2.2.4), so this is one
// group for a and b:
//
//	user-agent: a
//	sitemap: https://example.com/sitemap.xml
//
//	user-agent: b
//	disallow: /
//
// # Which group applies
//
// A crawler has one or more product tokens, most specific first. The first token that
// the file names decides. If the file names none of them, the group for "*" applies. If
// there is no such group, everything is allowed. Groups for the same token count as one
// group wherever they stand. They are never merged with the group for "*" (§2.2.1).
//
// Tokens are compared as a whole, without regard to ASCII case. A token consists of
// [A-Za-z_-]. The value in the file ends at the first octet that is not part of a
// token, so "googlebot/1.2" names googlebot. The tokens of some crawlers have digits or
// dots (MJ12bot, archive.org_bot). For such a crawler, a token in the file consists of
// [A-Za-z0-9_.-].
//
// # Which rule decides
//
// A rule is compared with the path and query of a URL, octet by octet from the first
// (§2.2.2). "*" matches any run of octets, also an empty one. "$" at the end of a
// pattern matches the end of the URL (§2.2.3). Of the rules that match, the one with
// the longest pattern decides. If an allow and a disallow rule are equally long, the
// allow rule decides. If no rule matches, the URL is allowed. /robots.txt itself is
// always allowed.
//
// Ask about a URL, or about a path and query that begin with "/". In any other text, the path begins at
// the first "/", "?" or ";": example.com/p means /p. If the text has none of these characters, the path
// is "/". A fragment is ignored.
//
// Pattern and URL are first brought to one form:
//
//   - octets that a URL must not contain are percent-encoded: controls, spaces, "<>\^`{|}
//     and octets beyond ASCII;
//   - percent-encoded unreserved characters are decoded: %62%61%7A is baz;
//   - hexadecimal digits are upper case;
//   - reserved characters stay as they are, so %2F in a path is not "/". In the query
//     ": / ? @" have no special meaning (RFC 3986 §3.4). There %3A %2F %3F %40 are the
//     same as the plain characters;
//   - %2A and %24 mean a literal "*" and "$";
//   - a "%" that begins no percent-encoded octet stands for itself. This also holds if the decoded text
//     after it would complete such an octet: %2%46 is not %2F.
//
// Dot segments and double slashes stay as they are: a path is matched as it is sent. A
// rule with an empty pattern matches nothing.
//
// # Where Google's open-source parser differs
//
// It expects URLs that are encoded already, and it differs in these points:
//
//   - it reads product tokens up to the first digit or dot;
//   - it lets a file disallow /robots.txt itself;
//   - it has no limit of size;
//   - it does not decode unreserved characters: %62 is not b, and its length is three;
//   - it brings lower-case hexadecimal digits and octets beyond ASCII to one form in
//     rules, but not in URLs;
//   - a space, a control and any of "<>\^`{|} do not match their encoded octets, in
//     rules and in URLs;
//   - %2A and %24 do not match a literal "*" and "$";
//   - : / ? @ in a query do not match their encoded octets;
//   - an allow rule for /index.html, or for anything that begins with /index.htm,
//     applies to the folder too;
//   - it reads only the beginning of a key, so Disallowed means disallow;
//   - it reads at most 16,663 octets of a line, and ends lines and URLs at a NUL;
//   - in the authority of a URL, ";" begins the path, and "//" at the beginning of a
//     path begins an authority.
//
// In everything else the verdicts are the same.
//
// # What may be done with a page
//
// Some records say what a page may be used for once it is fetched, such as
// content-signal. They change no verdict. [Rules.Usage] returns the records that apply to
// a crawler and a page, and package [github.com/go-polite/polite/robots/usage] reads
// them.
//
// # What is wrong with a file
//
// Package [github.com/go-polite/polite/robots/lint] tells the author of a file which
// lines do nothing, which rules never decide, which groups mean something else than
// they seem to, and what other crawlers read differently.
package robots
