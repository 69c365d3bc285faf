// Package judge says what robots.txt means for URLs and crawlers, and why, without
// asking for the pages.
package judge

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
	"weak"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/parallel"
	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/go-polite/polite/robots/usage"
)

// A Judge gives the verdicts. Each is what a Transport of package polite would do,
// unless the crawler is one of Google's that does otherwise.
type Judge struct {
	crawlers []crawler
	explains bool
	tap      *robotstxt.Tap  // has the texts of sites, to explain verdicts
	file     string          // the name of the file to go by; "" if sites are asked
	text     *robotstxt.Text // of the file

	mu       sync.Mutex
	policies map[weak.Pointer[robots.File]][]string // the policy tokens of files
}

type crawler struct {
	tokens    []string
	transport *polite.Transport
	reading   *reading // of the file to go by; nil if sites are asked
}

// unnamed reports whether there is a file to go by, and it does not name the crawler.
func (c crawler) unnamed() bool {
	return c.reading != nil && (c.reading.rules.Agent() == "" || c.reading.rules.Agent() == "*")
}

// A Question is a URL to judge.
type Question struct {
	Name string // the URL as it is shown
	URL  *url.URL
	Err  error // why it is no URL
}

// Options say how a Judge works.
type Options struct {
	Crawlers [][]string                          // the product tokens of each
	Base     http.RoundTripper                   // what asks the sites; not used if there is a File
	Sites    func(*http.Request) *polite.Options // what is different for some sites; may be nil
	Cache    *polite.Cache                       // where what they answer is kept; if nil, there is a new one
	Explain  bool                                // give more than the decisions
	Timeout  time.Duration                       // how long a site may take for its robots.txt; 0 for as long as polite waits

	File string // the name of a robots.txt to go by instead of asking sites; "" for none
	Body []byte // the text of File
}

// New returns a Judge.
func New(o Options) *Judge {
	j := &Judge{explains: o.Explain, file: o.File}
	base := o.Base
	switch {
	case o.File != "":
		j.text, base = robotstxt.NewText(o.Body), robotstxt.Everywhere(o.Body)
	case o.Explain:
		j.tap = robotstxt.TapOf(base)
		base = j.tap
	}
	cache := o.Cache
	if cache == nil {
		cache = new(polite.Cache) // so that a site is asked once for all crawlers
	}
	for _, tokens := range o.Crawlers {
		c := crawler{tokens: tokens, transport: &polite.Transport{
			UserAgent: verb.UserAgent(), Agents: tokens, Base: base, Sites: o.Sites, Cache: cache,
			Policy: polite.Policy{Timeout: o.Timeout, CheckRedirect: reach.Redirect},
		}}
		if j.text != nil {
			c.reading = newReading(j.text, c.transport, tokens)
		}
		j.crawlers = append(j.crawlers, c)
	}
	return j
}

// File returns the file to go by. It is nil if sites are asked.
func (j *Judge) File() *robots.File {
	if j.text == nil {
		return nil
	}
	return j.text.File()
}

// Verdicts are the verdicts on a question, one for each crawler.
type Verdicts = parallel.Result[Question, []Verdict]

// All yields the verdicts on each question, in the order of the questions: see
// [parallel.Each].
func (j *Judge) All(ctx context.Context, questions iter.Seq[Question]) iter.Seq[Verdicts] {
	return parallel.Each(questions, j.asks, func(q Question) []Verdict { return j.Judge(ctx, q) })
}

// asks returns the site that a question asks, or "" if it asks none.
func (j *Judge) asks(q Question) string {
	if j.file != "" || q.Err != nil {
		return ""
	}
	return Origin(q.URL)
}

// Origin returns the origin of a URL, or "" if it has none.
func Origin(u *url.URL) string {
	if u == nil {
		return ""
	}
	o, err := origin.OfURL(u)
	if err != nil {
		return ""
	}
	return o.String()
}

// Judge returns the verdicts on a question, one for each crawler.
func (j *Judge) Judge(ctx context.Context, q Question) []Verdict {
	verdicts := make([]Verdict, 0, len(j.crawlers))
	var unnamed *Verdict // on the crawlers that the file does not name: the same for all
	for _, c := range j.crawlers {
		var v Verdict
		if c.unnamed() && unnamed != nil {
			v = *unnamed
			v.Tokens, v.Decision.Agent = c.tokens, c.tokens[0]
		} else {
			v = j.judge(ctx, q, c)
		}
		if c.unnamed() && v.Err == nil {
			unnamed = new(v)
		}
		verdicts = append(verdicts, j.asCrawler(v))
	}
	return verdicts
}

// judge returns the verdict of the crawler's transport.
func (j *Judge) judge(ctx context.Context, q Question, c crawler) Verdict {
	v := Verdict{URL: q.Name, Tokens: c.tokens, Err: q.Err}
	if v.Err != nil {
		return v
	}
	if v.Decision, v.Err = c.check(ctx, q.URL); v.Err != nil {
		return v
	}
	if j.explains {
		text := j.text
		if j.tap != nil {
			text = j.tap.Text(v.Decision)
		}
		v.Explanation = explain(text, c.tokens, v.Decision, q.URL.RequestURI())
	}
	if v.Decision.Allowed && robotstxt.IsRead(v.Decision) {
		v.Usage, v.Policies = j.usage(ctx, q.URL, c)
	}
	return v
}

func (c crawler) check(ctx context.Context, u *url.URL) (polite.Decision, error) {
	if c.reading != nil {
		return c.reading.check(ctx, u)
	}
	defer reach.Ask(u)()
	return c.transport.Check(ctx, u)
}

// usage returns what the site says about the use of a page that may be fetched. The
// robots.txt that decided is at hand, so no site is asked.
func (j *Judge) usage(ctx context.Context, u *url.URL, c crawler) (usage.Statement, []Policy) {
	target := u.RequestURI()
	if c.reading != nil {
		return usage.OfRules(c.reading.rules, target), policiesOn(j.text.File(), j.policyTokens(j.text.File()), target)
	}
	file, err := c.transport.Robots(ctx, u)
	if err != nil {
		return usage.Statement{}, nil
	}
	return usage.Of(file, target, c.tokens...), policiesOn(file, j.policyTokens(file), target)
}

// policyTokens returns the policy tokens of a file, and looks for them once.
func (j *Judge) policyTokens(f *robots.File) []string {
	const mostFiles = 10_000 // that are kept in mind
	j.mu.Lock()
	defer j.mu.Unlock()
	tokens, known := j.policies[weak.Make(f)]
	if !known {
		if j.policies == nil || len(j.policies) == mostFiles {
			j.policies = make(map[weak.Pointer[robots.File]][]string)
		}
		tokens = PolicyTokens(f)
		j.policies[weak.Make(f)] = tokens
	}
	return tokens
}

// asCrawler returns the verdict of a transport as one on its crawler.
func (j *Judge) asCrawler(v Verdict) Verdict {
	if v.Err != nil {
		return v
	}
	v.asGoogle()
	if j.file != "" {
		v.ofFile(j.file)
	}
	return v
}

// asGoogle makes v a verdict on what the crawler does, if it is one of Google's that
// do not go by the whole file.
func (v *Verdict) asGoogle() {
	d := &v.Decision
	if crawlers.IgnoresDelay(v.Tokens[0]) {
		d.Gap = 0
	}
	if d.Group == "*" && crawlers.IgnoresEveryone(v.Tokens[0]) {
		d.Allowed, d.Reason = true, polite.ReasonNoRule
		d.Group, d.Rule = "", robots.Rule{}
		d.Gap, d.CrawlDelay = 0, 0
		v.Explanation, v.Usage = Explanation{}, usage.Statement{}
	}
}

// ofFile makes v a verdict by a file, and drops what only a site has.
func (v *Verdict) ofFile(name string) {
	d := &v.Decision
	if strings.HasPrefix(v.URL, "/") {
		d.Origin = ""
	}
	d.RobotsURL, d.Status = name, 0
	d.Fetched, d.Next = time.Time{}, time.Time{}
}

// anyOther is the product token of a crawler that no robots.txt names. "*" stands for it.
const anyOther = "any-crawler-that-is-not-named"

// ParseAgent returns the product tokens that an argument stands for: a token, several
// with commas between, a User-Agent, or "*" for any other crawler. One of Google's tokens
// may stand for two.
func ParseAgent(agent string) ([]string, error) {
	if strings.TrimSpace(agent) == "*" {
		return []string{anyOther}, nil
	}
	tokens := strings.Split(agent, ",")
	for i := range tokens {
		tokens[i] = strings.TrimSpace(tokens[i])
	}
	if slices.ContainsFunc(tokens, func(s string) bool { return !robots.IsProductToken(s) }) {
		tokens = []string{robots.ProductToken(agent)}
	}
	if slices.ContainsFunc(tokens, usage.IsPolicyToken) {
		return nil, errors.New("it names no crawler but a use of pages: leave it out, since polite check tells what its group says of each page")
	}
	if tokens[0] == "" {
		return nil, errors.New("it names no crawler: write a name of letters from a to z, as in GPTBot")
	}
	if second := crawlers.GoesBy(tokens[0]); second != "" && len(tokens) == 1 {
		tokens = append(tokens, second)
	}
	return tokens, nil
}

// Doubt returns what is doubtful about an argument that stands for these product tokens: it
// is read as something else than it says, it nearly names a well-known crawler, or it is a name
// that no crawler reads. It is "" if nothing is.
func Doubt(agent string, tokens []string) string {
	agent = strings.TrimSpace(agent)
	if name, r, ok := misread(agent); ok {
		text := fmt.Sprintf("%q is read as %s, the product token that it begins with", verb.Cut(agent), tokens[0])
		if r >= utf8.RuneSelf {
			text += fmt.Sprintf(", since none has %q (U+%04X)", r, r)
		}
		if meant := meantBy(name); meant != "" {
			return text + ": do you mean " + meant + "?"
		}
		return text + ": write a name of letters from a to z, digits, \"-\", \"_\" and \".\""
	}
	for _, token := range tokens {
		if c, ok := crawlers.Find(token); ok {
			if first, ok := crawlers.Find(tokens[0]); ok && first.Owner != c.Owner {
				return fmt.Sprintf("%s and %s are judged as one crawler with two names: name each apart", first.Name, c.Name)
			}
		}
		if meant := crawlers.Meant(token); meant != "" {
			return fmt.Sprintf("no crawler of the name %s is known: do you mean %s?", token, meant)
		}
		if owner := crawlers.Unread(token); owner != "" {
			if len(crawlers.OfOwner(owner)) == 0 {
				return fmt.Sprintf("no crawler of %s reads the name %s, and none of another name is known", owner, token)
			}
			return fmt.Sprintf(`no crawler of %s reads the name %[2]s: "polite crawlers %[2]s" lists its own`, owner, token)
		}
	}
	return ""
}

// misread returns a name of which an argument of -A has a part alone, as ParseAgent reads it, and what the part ends
// before. In a User-Agent, which has more than names, this is no letter of a token.
func misread(agent string) (name string, before rune, ok bool) {
	for name := range strings.SplitSeq(agent, ",") {
		product, more := strings.TrimSpace(name), false
		if i := strings.IndexAny(product, "/("); i >= 0 {
			product, more = product[:i], true
		}
		for _, r := range product {
			if agent != "*" && !robots.IsProductToken(string(r)) && (!more || r >= utf8.RuneSelf) {
				return product, r, true
			}
		}
		if more {
			break
		}
	}
	return "", 0, false
}

// meantBy returns the known name that a name seems to mean, which has what no token has. It is "" for none.
func meantBy(name string) string {
	name = strings.Map(func(r rune) rune {
		if !robots.IsProductToken(string(r)) {
			return -1
		}
		return r
	}, name)
	if c, ok := crawlers.Find(name); ok {
		return c.Name
	}
	return crawlers.Meant(name)
}

// Agents are the crawlers that -A names.
type Agents struct {
	Crawlers [][]string // the product tokens of each
	doubts   []string   // about them
}

// Add adds the crawler of an argument of -A.
func (a *Agents) Add(agent string) error {
	tokens, err := ParseAgent(agent)
	if err != nil {
		return err
	}
	a.Crawlers = append(a.Crawlers, tokens)
	if crawlers.MayDisobey(tokens[0]) {
		c, _ := crawlers.Find(tokens[0])
		a.doubts = append(a.doubts, fmt.Sprintf("%s %s, as its owner says: robots.txt alone does not keep it out", c.Name, c.Manners))
	}
	if doubt := Doubt(agent, tokens); doubt != "" {
		a.doubts = append(a.doubts, doubt)
	}
	return nil
}

// TellDoubts tells what is doubtful about them.
func (a *Agents) TellDoubts(tell func(error)) {
	for _, doubt := range a.doubts {
		tell(errors.New(doubt))
	}
}

// A reading is what a file to go by says to a crawler. It does for all sites, so that the
// file is not read again for each of them.
type reading struct {
	rules     robots.Rules
	transport *polite.Transport // which gets the file from every site
	usual     func() (polite.Decision, error)
}

func newReading(text *robotstxt.Text, transport *polite.Transport, tokens []string) *reading {
	return &reading{
		rules: text.Rules(tokens...), transport: transport,
		usual: sync.OnceValues(func() (polite.Decision, error) {
			any := &url.URL{Scheme: "https", Host: "localhost", Path: "/"}
			return transport.Check(context.Background(), any) // the file is at hand: nothing is waited for
		}),
	}
}

// check returns what Check of the transport returns.
func (r *reading) check(ctx context.Context, u *url.URL) (polite.Decision, error) {
	if ctx.Err() != nil {
		return polite.Decision{}, context.Cause(ctx)
	}
	o, path, ok := ruled(u)
	if !ok {
		return r.transport.Check(ctx, u)
	}
	d, err := r.usual()
	if err != nil {
		return d, err
	}
	d.URL, d.Origin = printable.URL(u.Redacted()), o.String()
	d.Allowed, d.Reason, d.Rule = true, polite.ReasonNoRule, robots.Rule{}
	if rule, ok := r.rules.Match(path); ok {
		d.Allowed, d.Reason, d.Rule = rule.Allow, polite.ReasonRule, rule
	}
	return d, nil
}

// ruled returns the origin of a URL, and its path and query as they are sent. If rules alone
// do not decide on the URL, ok is false.
func ruled(u *url.URL) (o origin.Origin, path string, ok bool) {
	o, path, err := origin.Of(&http.Request{Method: http.MethodGet, URL: u, Host: u.Host}, nil)
	return o, path, err == nil && path != "/robots.txt" && u.Opaque == "" && origin.IsHTTP(u)
}

// A Target is a question whose URL has been read. It can be asked of many files.
type Target struct {
	Question
	path string // and its query, as they are sent; "" if rules alone do not decide
}

// TargetOf reads the URL of a question.
func TargetOf(q Question) Target {
	t := Target{Question: q}
	if q.Err == nil {
		if _, path, ok := ruled(q.URL); ok {
			t.path = path
		}
	}
	return t
}

// Rule returns the rule that decides on a target, for the crawler at an index of the options.
// If the rule is zero, the target is allowed. It is for a Judge with a File, and is the rule of
// the verdict, without all else that a verdict has.
func (j *Judge) Rule(ctx context.Context, t Target, crawler int) (robots.Rule, error) {
	c := j.crawlers[crawler]
	if t.path == "" {
		v := j.asCrawler(j.judge(ctx, t.Question, c))
		return v.Decision.Rule, v.Err
	}
	if c.unnamed() && crawlers.IgnoresEveryone(c.tokens[0]) {
		return robots.Rule{}, nil
	}
	rule, _ := c.reading.rules.Match(t.path)
	return rule, nil
}
