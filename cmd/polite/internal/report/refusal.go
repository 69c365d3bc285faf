package report

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/public"
)

// The kinds of refusals, as polite proxy and polite mcp tell them.
const (
	KindDisallowed = "disallowed" // by a rule of robots.txt
	KindUse        = "use"        // the site says no to what its pages are wanted for
	KindPrivate    = "private"    // not an address of the public internet
	KindDelayed    = "delayed"    // the turn would come too late
	KindStore      = "store"      // the store of the turns has failed
	KindNoHost     = "no-host"    // there is no such host
	KindNoRules    = "no-rules"   // robots.txt could not be fetched
)

// A Refusal says why polite has not sent a request. What a site has written stands in it in excerpts.
type Refusal struct {
	Kind  string // "" if polite has refused nothing: the request has failed
	Says  string // why, in a sentence or two
	Rule  string // the rule or statement that decided, or ""
	Line  int    // of the rule in robots.txt
	Again time.Time
}

// RefusalOf returns the refusal that is in an error, or in the Decision of a Check, whose err is nil.
func RefusalOf(d polite.Decision, err error) Refusal {
	what := Excerpt(d.URL)
	delay, isDelay := errors.AsType[*polite.DelayError](err)
	lookUp, isLookUp := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, public.ErrPrivate): // nobody learns which address a name has
		return Refusal{Kind: KindPrivate, Says: verb.Message(public.ErrPrivate)}
	case isDelay:
		r := Refusal{Kind: KindDelayed, Again: delay.Turn}
		r.Says = fmt.Sprintf("%s was not sent: its turn comes in %v, and %s.", what, delay.Wait.Round(time.Second), Excerpt(delay.Why))
		if errors.Is(err, polite.ErrStore) {
			r.Kind = KindStore
		}
		return r
	case errors.Is(err, polite.ErrNoHost), isLookUp && lookUp.IsNotFound:
		host := d.Origin
		if isLookUp {
			host = lookUp.Name
		}
		return Refusal{Kind: KindNoHost, Says: fmt.Sprintf("%s does not exist: correct the URL.", Excerpt(host))}
	case d.Allowed, err != nil && !errors.Is(err, polite.ErrRefused):
		return Refusal{}
	case d.Reason == polite.ReasonRule:
		return Refusal{Kind: KindDisallowed, Rule: Excerpt(d.Rule.String()), Line: d.Rule.Line, Says: fmt.Sprintf("robots.txt disallows %s for %s, %s. It was not fetched.", what, d.Agent, by(d))}
	case d.Reason == polite.ReasonUse:
		return Refusal{Kind: KindUse, Rule: Excerpt(d.Use.String()), Line: d.Use.Line, Says: fmt.Sprintf("The site says no to the use of %s for %s, %s. It was not fetched.", what, Excerpt(string(d.Use.Use)), by(d))}
	default:
		return Refusal{Kind: KindNoRules, Again: d.Next, Says: fmt.Sprintf("%s was not fetched: %s %s. So nobody knows what the site allows.", what, Excerpt(d.RobotsURL), Excerpt(Answer(d)))}
	}
}

// NameLimits lets a refusal name the flags that limit how long a request waits. Package polite names what programs set.
func NameLimits(err error, flags string) {
	if late, ok := errors.AsType[*polite.DelayError](err); ok {
		late.Why = strings.NewReplacer("its context, the client's Timeout, or MaxWait", flags, "MaxWait and no deadline", flags).Replace(late.Why)
	}
}

// by tells what has decided against a request: a rule, or a statement about use.
func by(d polite.Decision) string {
	rule, group := d.Rule.String(), fmt.Sprintf(" (group %s)", Quoted(d.Group))
	line := d.Rule.Line
	if d.Reason == polite.ReasonUse {
		rule, line, group = d.Use.String(), d.Use.Line, ""
	}
	return fmt.Sprintf("by %s, line %d of %s%s", Quoted(rule), line, Excerpt(d.RobotsURL), group)
}

// Excerpt returns the beginning of a text of a site that stands in one of ours, in one line.
func Excerpt(text string) string {
	const longest = 200 // octets
	return printable.Excerpt(text, longest)
}

// Quoted returns an excerpt between quotation marks.
func Quoted(text string) string { return `"` + strings.ReplaceAll(Excerpt(text), `"`, `'`) + `"` }
