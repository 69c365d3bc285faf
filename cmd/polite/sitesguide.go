package main

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
