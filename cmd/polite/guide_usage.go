package main

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
