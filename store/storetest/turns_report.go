package storetest

import (
	"context"
	"time"

	"github.com/go-polite/polite/store"
)

// report begins to report, with a Profile. It stops at the end of the test.
func (a *asker) report(profile string) *watcher {
	reporter, _ := store.As[store.Reporter](a.turns)
	ctx, cancel := context.WithCancel(a.Context())
	w := &watcher{bench: a.bench, heard: make(chan news, 1<<16), cancel: cancel, returned: make(chan struct{})}
	status := func() store.Status { return store.Status{Profile: profile, Health: "well"} }
	go func() {
		defer close(w.returned)
		w.err = reporter.Report(ctx, status, func(c store.Change) {
			at := a.moment()
			w.heard <- news{c, moment{at.from + c.Break, at.to + c.Break, at.passed + c.Break}}
		})
	}()
	a.Cleanup(w.stop)
	return w
}

// profiles returns the Profiles that are told until some number of them are, or for a while.
func (w *watcher) profiles(most int, while time.Duration) (told []string) {
	w.Helper()
	began := w.moment()
	for zeros := 0; len(told) < most && (zeros < 10 || w.moment().to-began.to < while); {
		if got := w.next(); got.Profile != "" {
			told = append(told, got.Profile)
		} else if got.Change == (store.Change{}) {
			zeros++
		}
	}
	return told
}

// oneTelling is how long it may take until a Profile is told again.
const oneTelling = 5 * time.Second

// What Report does beside what Watch does.
var reporting = []turnsTest{
	{"Report tells of breaks as Watch does", func(one, two *asker) {
		began := two.begins("under way", long)
		w := one.report("one")
		told := w.all()
		one.between(began, told["under way"].until, long)
		w.tells(two.begins("lane", long), "lane", long)
	}},
	{"Report tells of another Profile again and again", func(one, two *asker) {
		first, second := one.report("one"), two.report("two")
		for w, want := range map[*watcher]string{first: "two", second: "one"} {
			told := w.profiles(2, 6*oneTelling)
			if len(told) != 2 || told[0] != want || told[1] != want {
				one.Errorf("Report told of the Profiles %q, want %q twice", told, want)
			}
		}
	}},
	{"Report does not tell of an equal Profile", func(one, two *asker) {
		one.report("alike")
		if told := two.report("alike").profiles(1, oneTelling); len(told) > 0 {
			one.Errorf("Report told of the Profiles %q, which are all alike", told)
		}
	}},
}
