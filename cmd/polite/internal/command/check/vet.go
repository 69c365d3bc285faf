package check

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/crawlers"
)

// What follows finds lines that would be as expected, and say nothing: of another URL, crawler or file
// than is meant.

// vet returns the question that a URL is, or why it is hardly what is meant.
func (e *examiner) vet(written string) (judge.Question, error) {
	if slip := slipIn(written); slip != "" {
		return judge.Question{}, fmt.Errorf("%q %s", verb.Shown(written), slip)
	}
	q := e.question(written)
	if q.Err != nil {
		return q, q.Err
	}
	return q, e.vetURL(written, q.URL)
}

// slipIn tells a slip in a URL as it is written, and what to write. It is "" if there is none.
func slipIn(written string) string {
	path := written
	if _, rest, ok := strings.Cut(written, "://"); ok {
		_, path, _ = strings.Cut(rest, "/")
	}
	first, _ := utf8.DecodeRuneInString(written)
	hidden := unseen(written)
	letter, strange := stranger(path)
	switch {
	case strings.ContainsRune("\"'“”„‘’«»", first):
		return fmt.Sprintf("begins with %q (U+%04X): leave the quotation marks out", first, first)
	case strings.HasPrefix(written, "//"):
		return `is taken for a path: write "https:" before it, or one "/"`
	case hidden != "":
		return fmt.Sprintf("has %+q, which nobody sees: leave it out, or write %s", hidden, printable.URL(hidden))
	case strings.Contains(written, `\`):
		return `has a "\": write "/", or %5C`
	case strings.Contains(path, "*"):
		return "has a *, which stands for itself in a URL: write a URL that it is to match, or %2A"
	case strings.HasSuffix(path, "$"):
		return "ends with a $, which stands for itself in a URL: leave it out, or write %24"
	case halfOctet.MatchString(path):
		return `has a "%" that begins no octet: write two digits from 0 to F after it, or %25`
	case strange:
		return fmt.Sprintf("has %q (U+%04X) in a word of Latin letters: write the letter that is meant, or percent-encode it", letter, letter)
	}
	return ""
}

// halfOctet finds a "%" before a letter or digit with which it is no octet. Elsewhere it stands for itself.
var halfOctet = regexp.MustCompile(`%([g-zG-Z]|[[:xdigit:]]([^[:xdigit:]]|$))`)

// unseen returns the first character of a text that does not show itself, or octet that is none. It is "" if all do.
func unseen(text string) string {
	if printable.Text(text) == text {
		return ""
	}
	for len(text) > 0 {
		_, size := utf8.DecodeRuneInString(text)
		if printable.Text(text[:size]) != text[:size] {
			return text[:size]
		}
		text = text[size:]
	}
	return ""
}

// vetURL returns why a URL is none that a client asks for, or not of the site that is meant.
func (e *examiner) vetURL(written string, u *url.URL) error {
	o, err := origin.OfURL(u)
	switch sent := u.ResolveReference(u).EscapedPath(); {
	case err != nil:
		return fmt.Errorf("%q: %w", verb.Shown(written), err)
	case strings.HasSuffix(u.Hostname(), "."):
		return fmt.Errorf(`%q has a "." at the end of its host: leave it out`, verb.Shown(written))
	case sent != u.EscapedPath() && u.Path != "":
		return fmt.Errorf("%q has the path %s for clients, which resolve \".\" and \"..\": write it so", verb.Shown(written), sent)
	}
	if e.by.File == "" || strings.HasPrefix(written, "/") {
		return nil
	}
	at := o.String()
	if host := hostOf(at); e.host != "" && !e.sitemaps[host] && !e.sitemaps[e.list] {
		return fmt.Errorf("%s names sitemaps at %s, and none at %s: write that host, or a path alone", e.by.File, e.host, host)
	}
	if e.origin == "" {
		e.origin = at
	}
	if at != e.origin {
		return fmt.Errorf("%s is for one site, a line above is about %s, and this about %s: write a path alone, or a file for each site", e.by.File, e.origin, at)
	}
	return nil
}

// hostOf returns the host of an origin, with its port if that is not the usual one.
func hostOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	return host
}

// vetFile returns why nothing is to be expected of the file, and notes which sitemaps it names, and where: at its
// own host, as a rule.
func (e *examiner) vetFile() error {
	text := robotstxt.NewText(e.by.Body)
	e.sitemaps = make(map[string]bool)
	for written := range text.File().Sitemaps() {
		if u, err := origin.Parse(written); err == nil && origin.IsHTTP(u) && judge.Origin(u) != "" {
			host := hostOf(judge.Origin(u))
			e.host = cmp.Or(e.host, host)
			e.sitemaps[written], e.sitemaps[host] = true, true
		}
	}
	return vetText(e.by.File, text)
}

// stranger returns a letter of another alphabet than the letters beside it, if it looks like one of them.
func stranger(text string) (rune, bool) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		other := strings.IndexFunc(word, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian) })
		if other >= 0 && strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
			return []rune(word[other:])[0], true
		}
	}
	return 0, false
}

// vetVerdict returns why a verdict is hardly on the crawler, or by the file, that is meant.
func (e *examiner) vetVerdict(line input.Expectation, v judge.Verdict) error {
	if outcome := report.OutcomeOf(v.Decision, v.Err); outcome != report.Allowed && outcome != report.Disallowed {
		return nil
	}
	if v.Decision.Reason == polite.ReasonRobotsTxt {
		return fmt.Errorf("%s is always allowed (RFC 9309 §2.2.2): write a URL on which a rule can decide", v.URL)
	}
	if line.Crawler != "*" && !slices.ContainsFunc(line.Tokens, func(token string) bool {
		_, known := crawlers.Find(token)
		return known || strings.EqualFold(token, v.Decision.Group)
	}) {
		return fmt.Errorf("%q is no crawler that polite knows, and the robots.txt does not name it: write * for any other crawler, or a name as \"polite crawlers\" has it", verb.Shown(line.Crawler))
	}
	return e.vetSite(v)
}

// vetSite returns why nothing is to be expected of what a site has sent.
func (e *examiner) vetSite(v judge.Verdict) error {
	d := v.Decision
	if d.Reason == polite.ReasonUnavailable {
		return fmt.Errorf("%s %s, so that everything is allowed: %s", d.RobotsURL, report.Answer(d), meant)
	}
	err, known := e.texts[d.RobotsURL]
	if text := e.tap.Text(d); text != nil && !known {
		if len(e.texts) == mostJudges {
			clear(e.texts)
		}
		err = vetText(d.RobotsURL, text)
		e.texts[d.RobotsURL] = err
	}
	return err
}

// meant is what to do if everything is allowed because there are no rules.
const meant = "serve the robots.txt that is meant, as text in UTF-8, or write \"User-agent: *\" above its rules, and \"Disallow:\" if all is to be allowed"

// vetText returns why a text allows everything, though it is hardly meant to. A group without a pattern means to.
func vetText(name string, text *robotstxt.Text) error {
	what := text.Lack()
	if len(bytes.TrimSpace(bytes.TrimPrefix(text.Body, []byte("\uFEFF")))) == 0 {
		what = "empty"
	}
	if what == "" {
		return nil
	}
	return errors.New(verb.Shown(name) + " is " + what + ", so that everything is allowed: " + meant)
}
