package lint

import (
	"github.com/go-polite/polite/robots/internal/match"
)

var robotsTxtRule = &check{
	Check:   Check{"robots-txt-rule", Note, "a rule for /robots.txt has no effect"},
	example: "user-agent: *\ndisallow: /robots.txt",
}

func (l *linter) reportRobotsTxt(s *match.Set, r match.Rule) {
	effect, advice := "counts only for longer paths that begin so", "leave it out if none are meant"
	if r.Anchored() {
		effect, advice = "has no effect", "leave it out"
	}
	advice, edit := l.leaveOut(l.groupOf(r), r.Line(), advice)
	if !r.Anchored() {
		edit = nil // only the author knows which paths are meant
	}
	l.onValuef(robotsTxtRule, r.Line(), "robots.txt may always be fetched, so the rule %s; %s", effect, advice).with(edit)
}
