package main

const guide = `robots.txt: which pages of a site crawlers may fetch

A site keeps it at its root, https://example.com/robots.txt, as plain text in
UTF-8. It is for this scheme, host and port alone: http://example.com and
https://www.example.com have their own.

    # Everyone may read the blog, but not its drafts.
    User-agent: *
    Disallow: /drafts/
    Allow: /drafts/public

    # These two stay away.
    User-agent: ExampleBot
    User-agent: OtherBot
    Disallow: /

    Sitemap: https://example.com/sitemap.xml

GROUPS  A group is one or more User-agent lines, then rules. A crawler obeys the
group that names it, in upper or lower case, and no other: ExampleBot does not
read the group for "*" here. Repeat a rule that is for all. A crawler that no
group names obeys the group for "*"; a few of Google's, like AdsBot, obey no
group then. Groups that name the same crawler are one group. A blank line does
not end a group; the first User-agent line after an Allow or Disallow begins the
next group.

RULES  A rule is the beginning of a path. Upper and lower case differ:

    /fish       /fish, /fish.html, /fishing/x?y     not /catfish, /Fish
    /fish/      /fish/, /fish/salmon                not /fish
    /*.pdf      /a.pdf, /b/c.pdf?page=2             "*" is any text, or none
    /*.pdf$     /a.pdf                              "$" is the end of the URL
    /*?sort=    /list?sort=1                        the query is matched, too

If several rules match, the one with the most characters decides, wherever it
stands; if two are equally long, Allow decides. If none matches, the page is
allowed. "Disallow: /" disallows the whole site, an empty "Disallow:" nothing.
Characters that are not ASCII are compared and counted as in URLs: /é is
/%C3%A9, 7 characters.

    Disallow: /drafts/          /drafts/public/1 is allowed: 14 characters
    Allow: /drafts/public       win over 8. /drafts/x is not.

WITHOUT A FILE  If robots.txt does not exist (404, or any other 4xx except 429),
all is allowed. If the server fails (5xx), answers 429 or cannot be reached,
crawlers stay away from the whole site, or obey the last file that they have.
They follow five redirects. They may keep the answer for a day, so a change may
take a day to be seen. They need not read more than the first 500 KiB.

BESIDES RULES  Sitemap: is a full URL, and belongs to no group. Crawl-delay: is
the seconds between two requests; it stands in a group, and some crawlers ignore
it. Crawlers skip unknown lines and report nothing: use polite lint to find
slips.

WHAT IT IS NOT  Disallow keeps crawlers from fetching a page. It does not keep
the page out of search results: for this, allow the page, and say noindex in it.
It is no lock either: everyone can read the file, and only polite crawlers obey
it.

The standard is RFC 9309. To see what a file says, for the example above:

    polite check -A ExampleBot -f robots.txt /drafts/public
    polite lint robots.txt
`

const usageGuide = `usage: what a site says may be done with its pages

robots.txt says which pages a crawler may fetch. Other lines in it say what may
be done with a page then. They change nothing about fetching.

    # For everyone: find us, train no model; press releases are free.
    User-agent: *
    Disallow: /drafts/
    Content-Usage: search=y, train-ai=n
    Content-Usage: /press/ search=y, train-ai=y

    # This crawler has a contract.
    User-agent: ExampleBot
    Disallow: /drafts/
    Content-Signal: search=yes, ai-input=yes, ai-train=yes

    /news/1     search yes, train-ai no                 for everyone else
    /press/1    search yes, train-ai yes                for everyone else
    /news/1     search yes, ai-input yes, train-ai yes  for ExampleBot

USES  search: lead people to the page, with a short excerpt. ai-input: give the
page to a model while it answers. train-ai, which Content-Signal calls ai-train:
make or change a model with it. A use is "yes", "no" or not stated. Not stated
is not "no". Content-Signal also has use=immediate, reference or full: neither
"yes" nor "no".

WHO IS MEANT  The group that a crawler obeys speaks to it, as with rules: above,
the lines for "*" are not for ExampleBot. Lines before the first group are for
everyone. If the crawler's group says "yes" or "no" to the same use of a page,
this decides.

WHICH PAGES  The value of Content-Usage may begin with a path, which matches as
in a rule, with "*" and "$". Of the lines that match, only that with the longest
path counts. A use that it leaves out is not stated: if /press/ above had
search=y alone, it would say nothing of training. Content-Signal has no path,
and counts for all pages. If two lines that count disagree, "no" wins. Polite
check shows the uses of pages that may be fetched.

IN A PAGE  The headers Content-Usage and Content-Signal say the same of one
page. If they and robots.txt disagree, "no" wins. Google's X-Robots-Tag:
noindex, or a <meta name="robots"> with it, says "no" to search; noai says "no"
to training. A name and a colon before it, as in "otherbot: noindex", makes it
for that crawler alone. tdm-reservation: 1 reserves all text and data mining.

LICENCES  License: https://example.com/license.xml names the terms for all pages
and crawlers. A header says it as Link: <URL>; rel="license". Polite does not
fetch the terms, and pays nothing.

HOW FIRM IT IS, in late 2026
    RFC 9309               standard   the groups, and how paths match
    RFC 9651               standard   how the value of Content-Usage is written
    Content-Usage          draft      draft-ietf-aipref-attach, -vocab
    Content-Signal         one company's, on millions of sites; also a draft
    X-Robots-Tag, <meta>   one company's documentation, which many follow
    noai                   a custom, without any document
    License                an industry group's: RSL 1.0
    tdm-reservation        a report of a W3C community group

Write search=yes and ai-train=no in Content-Signal, but search=y and train-ai=n,
in lower case, in Content-Usage. Most other spellings count for nothing: polite
lint finds them. To see what is said:

    polite check -A ExampleBot -f robots.txt /news/1
    polite records robots.txt
    polite lint robots.txt
`

const sitesGuide = `--sites file: what polite does differently for some sites

Each line of the file names a site, and then what is different for it:

    # site                        settings
    example.com                   delay=2s concurrency=1
    .example.org                  delay=500ms jitter=0.5
    *.wiki.example                delay=5s together
    https://api.example.net:8443  delay=0
    intranet.example              agreed

Sites. ".example.org" is the domain and all hosts below it, "*.example.org" only
the hosts below it. In other patterns, "*" stands for any characters; alone it
is all sites. One line applies, the most specific one: an origin
(https://example.com) before a host, a host before a domain or a pattern, and of
these the longest.

Settings. If a line has none of the first eleven, polite does as always: it
keeps to crawl-delay, up to 30 seconds.

    delay=2s              the gap between two requests, if crawl-delay is not
                          longer
    jitter=0.5            chance makes a gap longer, by up to this part of it
    concurrency=8         requests under way at the same time; 0 is any number
    max-delay=1m          the longest crawl-delay to keep; "ignore" keeps none
    beyond=obey           if the site asks for more: clamp, obey or refuse
    adapt=5               the gap is five times what the site takes to answer
    adapt-min=1s          the shortest such gap
    adapt-max=1m          the longest such gap
    max-wait=10s          the longest time that a request waits
    max-queue=100         how many may wait; "none" lets none wait
    max-retry-after=1h    the longest Retry-After to keep
    together              all sites of the line take turns with each other
    together=name         so do all sites of all lines with this name
    agreed                the owner has agreed to your requests: polite does not
                          ask for robots.txt, but keeps to delay and Retry-After
    default               nothing is different, although a wider line says so
`
