package limit

import "time"

// A State is what a Lane knows, for people.
type State struct {
	Window   int           // how many requests may be under way
	Cut      bool          // the window was larger once, and is all in use
	Gap      time.Duration // between two begins; 0 if there is none
	Break    time.Duration // how long no request may begin; 0 if there is no break
	Asked    bool          // the site has asked for the break
	Level    int           // how often the break was doubled
	Tries    int           // how many requests after a break were answered badly, in this incident
	Incident bool          // no good answer has come since the last bad one
	Why      Kind          // the last bad answer; Neutral if there was none
}

// State returns what l knows.
func (l *Lane) State(now time.Duration) State {
	s := State{Window: l.Window(), Gap: l.Gap(now)}
	if c := l.crowded; c != nil {
		s.Break, s.Level = c.pause.left(bound(now)), int(c.pause.level)
		s.Asked = s.Break > 0 && c.pause.isAsked()
		s.Cut = c.growth.cut && l.window.full
		s.Incident, s.Why, s.Tries = c.pause.on, c.pause.why, int(c.pause.tries)
	}
	return s
}

// Healthy reports whether l knows of no limit now, so that little is lost if it is
// forgotten, and good answers need not be told one by one. They end a row, and by them a target is
// known that is refused for a reason of its own.
func (l *Lane) Healthy(now time.Duration) bool {
	s := l.State(now)
	return l.row.isWell() && !s.Incident && s.Gap == 0 && s.Break == 0 && (l.crowded == nil || l.crowded.own.isEmpty())
}
