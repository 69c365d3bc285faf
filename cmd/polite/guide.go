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
