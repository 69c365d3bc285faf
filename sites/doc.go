// Package sites is a table of settings for some sites: they have a Pace of their own, or
// their owners have agreed. Its method [Table.Site] is the Sites of a
// [github.com/go-polite/polite.Transport].
//
// [New] makes a table, and [Parse] reads one from a text. [Watch] reads a file again when it changes. A
// line of the text names a site, and then its settings. White space separates the words. A "#" at the
// beginning of a word begins a comment:
//
//	# site                        settings
//	example.com                   delay=2s concurrency=1
//	.example.org                  delay=500ms jitter=0.5
//	*.wiki.example                delay=5s together
//	https://api.example.net:8443  delay=0 concurrency=8
//	intranet.example              agreed
//	*                             delay=100ms concurrency=8
//
// # Sites
//
// One line applies to a request, or none: the most specific, wherever it stands.
//
//  1. an origin: "https://example.com", "http://example.com:8080";
//  2. a host, with any scheme and port: "example.com", "192.0.2.1", "[2001:db8::1]";
//  3. a domain and all hosts below it (".example.org"), or a pattern, in which "*" stands for any
//     characters, also for dots. "*.example.org" is all hosts below example.org. The longest of these
//     applies, or the first of two equally long ones;
//  4. "*", all sites.
//
// No other line adds anything. A name with letters beyond ASCII is the same in Punycode. Upper case is
// lower case. A dot at the end of a host is ignored. At most 1,000 patterns may have a "*" elsewhere
// than in front of a domain, since each of them is tried for each request. There may be any number of
// other lines.
//
// # Settings
//
// A setting of a [polite.Pace] changes this field for the sites of the line. All other fields are as in
// Transport.Pace. A duration has a unit: 500ms, 2s, 1m30s.
//
//	delay=2s            Pace.MinDelay, the gap between two requests; 0 is none
//	jitter=0.5          Pace.Jitter, the part of a gap that chance adds
//	concurrency=8       Pace.Concurrency, requests under way; any is as many as the site bears
//	max-delay=1m        Pace.MaxDelay, the longest crawl-delay to keep; "any" keeps all, "none" keeps none
//	longer=refuse       Pace.RefuseLonger, refuse requests to a site that asks for more
//	backoff=off        Backoff.Off, do not find out what the site bears
//	max-wait=10s        Pace.MaxWait, the longest time that a request waits
//	max-queue=100       Pace.MaxQueue, how many may wait; "none" lets no request wait
//	max-retry-after=1h  Pace.MaxRetryAfter, the longest Retry-After to keep
//
// These settings are for a second gap and limit, which many sites have together. All lines with the
// same group have the same gap and limit. Without a group on the line, that of Transport.Pace applies.
//
//	group=domain         Pace.Group, of sites with one registrable domain: see [ByDomain]
//	group=address        of sites with one address: see [ByAddress]
//	group=name           of the sites of all lines with this name
//	group=none           of none, although Transport.Pace has a group
//	group-delay=500ms    Group.MinDelay, the least gap between two requests to the group
//	group-concurrency=2  Group.Concurrency, requests to the group under way; any is no limit
//
// These may stand beside them, or alone:
//
//	together            all sites of the line take turns with each other
//	together=name       so do all sites of all lines with this name
//	agreed              the owner has agreed: polite does not ask for robots.txt
//	default             nothing is different, although a wider line applies to others
//	hours=22-6          the line applies from 22:00 until 6:00 alone; hours=22:30-6 from 22:30
//
// A line with hours stands beside a line without hours, which applies at all other times. A line with
// hours has all settings for these hours:
//
//	example.com  delay=1s
//	example.com  delay=10s hours=22-6
//
// Hours are from 0 to 24, and by the clock of the process in its own time zone (time.Local, which the
// variable TZ sets). When this clock is put forward or back, the hours go with it. Lines for one site
// may have different hours, which do not overlap. A request that waits goes by the line of the hour in
// which it is the next. It stays in its lane and in its group, so together, agreed and group must be
// the same on all lines for a site.
package sites
