// Package sarif writes the findings of lint as a SARIF 2.1.0 log, which code scanners
// read.
package sarif

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/lint"
)

// Log returns a log of what checks have found, and of the errors of sources that could not be
// read.
func Log(checks []lint.Check, all []Source, unread []error) string {
	r := run{
		Tool:        tool{driverWith(checks)},
		Invocations: []invocation{invocationWith(unread)},
		ColumnKind:  "utf16CodeUnits",
		Results:     []result{}, // [] says that nothing was found
	}
	for _, s := range all {
		lines := s.Lines()
		for _, f := range s.Findings {
			line, octet := lines(f)
			found := resultOf(s.Name, f, regionOf(f, line, octet))
			found.RuleIndex = slices.IndexFunc(checks, func(c lint.Check) bool { return c.ID == f.ID })
			if where, ok := s.replaced(f, line); ok {
				found.Fixes = []fix{fixOf(s.Name, where, f.Edit)}
			}
			r.Results = append(r.Results, found)
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.Encode(log{"2.1.0", "https://json.schemastore.org/sarif-2.1.0.json", []run{r}})
	return printable.JSON(b.String())
}

func driverWith(checks []lint.Check) driver {
	d := driver{Name: "polite", Version: verb.Version(), InformationURI: verb.Home}
	for _, c := range checks {
		summary := message{escape(c.Summary)}
		d.Rules = append(d.Rules, rule{c.ID, summary, summary, summary, level{c.Severity.String()}})
	}
	return d
}

// invocationWith tells what could not be read. Without it, a log without results
// would be good news.
func invocationWith(unread []error) invocation {
	i := invocation{ExecutionSuccessful: len(unread) == 0}
	for _, err := range unread {
		i.Notifications = append(i.Notifications, notification{"error", message{escape(verb.Message(err))}})
	}
	return i
}

// resultOf returns a finding in the region where. One about no line is in no region.
func resultOf(name string, f lint.Finding, where region) result {
	r := result{
		RuleID: f.ID, Level: f.Severity.String(), Message: message{escape(f.Text())},
		Locations: []location{{place{artifact{uri(name)}, nil}}},
	}
	if f.Line > 0 {
		r.Locations[0].PhysicalLocation.Region = &where
	}
	return r
}

func fixOf(name string, where region, edit *lint.Edit) fix {
	r := replacement{DeletedRegion: where}
	if edit.Text != "" {
		r.InsertedContent = &content{edit.Text}
	}
	f := fix{Changes: []change{{artifact{uri(name)}, []replacement{r}}}}
	if edit.Changes {
		f.Description = &message{"This may change what crawlers may fetch, or how fast."}
	}
	return f
}

// escape returns plain text as a message has it. In a message, braces are for
// placeholders, and brackets before a parenthesis for links, unless an odd number of
// backslashes precedes them (§3.11.5, §3.11.6).
func escape(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}", `\\`, `\\`, `\](`, `\](`, "](", `\](`).Replace(text)
}

// uri returns the URI of a source. It is relative if the source is a file whose name
// is.
func uri(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}
