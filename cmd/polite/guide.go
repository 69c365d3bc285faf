package main

const guide = `robots.txt: which pages of a site crawlers may fetch

A site keeps it at its root, https://example.com/robots.txt, as plain text in
UTF-8. It speaks for that scheme, host and port alone: http://example.com and
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
group that names it, upper and lower case being the same, and no other: ExampleBot
does not read the group for "*" here, so a rule for all has to be repeated. Only
a crawler that no group names goes by "*", and a few of Google's, like AdsBot, not
even then. Groups that name the same crawler count as one. A blank line ends
nothing; the first User-agent line after an Allow or Disallow begins the next group.

RULES  A rule is the beginning of a path, and upper and lower case differ:

    /fish       /fish, /fish.html, /fishing/x?y     not /catfish, /Fish
    /fish/      /fish/, /fish/salmon                not /fish
    /*.pdf      /a.pdf, /b/c.pdf?page=2             "*" is any text, or none
    /*.pdf$     /a.pdf                              "$" is the end of the URL
    /*?sort=    /list?sort=1                        the query counts too

Of all rules that match, the one with the most characters decides, wherever it
stands; of two that are as long, Allow. If none matches, the page is allowed.
"Disallow: /" is all of the site, and an empty "Disallow:" nothing of it. What is
not ASCII is compared, and counted, as URLs have it: /é is /%C3%A9, 7 characters.

    Disallow: /drafts/          /drafts/public/1 is allowed: 14 characters
    Allow: /drafts/public       win over 8. /drafts/x is not.

WITHOUT A FILE  If robots.txt does not exist (404, and any other 4xx but 429), all
is allowed. If the server fails (5xx), answers 429 or cannot be reached, crawlers
stay away from all of it, or go by the last file that they have. Five redirects
are followed. The answer may be kept for a day, so a change takes that long to be
seen. Only the first 500 KiB have to be read.

BESIDE RULES  Sitemap: is a full URL, outside of all groups. Crawl-delay: is seconds
between two requests; it stands in a group, and some obey it, others do not.
Unknown lines are skipped, so a typing error fails in silence: try polite lint.

WHAT IT IS NOT  Disallow keeps crawlers from fetching, not a page from search
results: for that, let them fetch a page that says noindex. It is no lock either:
the file is public, and it is the polite who obey.

The standard is RFC 9309. To see what a file says, by the example above:

    polite check -A ExampleBot -f robots.txt /drafts/public
    polite lint robots.txt
`
