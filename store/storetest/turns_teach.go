package storetest

import (
	"context"
	"strings"
	"time"

	"github.com/go-polite/polite/store"
)

// teaches teaches a lesson, with a break unless wait is zero. It returns when.
func (a *asker) teaches(lane string, wait time.Duration, lesson string) (at moment) {
	a.Helper()
	at = a.moment()
	teacher, _ := store.As[store.Teacher](a.turns)
	if err := teacher.Teach(a.Context(), lane, wait, lesson, long); err != nil {
		a.Errorf("Teach(%.40q): %v", lane, err)
	}
	return at
}

// isTaught waits until it is told a lesson.
func (w *watcher) isTaught(lane, lesson string) {
	w.Helper()
	w.upTo("the lesson "+lesson, func(c store.Change) bool { return c.Lane == lane && c.Lesson == lesson })
}

// What Teach does beside what Break does.
var teaching = []turnsTest{
	{"Teach begins a break as Break does", func(one, two *asker) {
		w := one.watch()
		w.all()
		began := two.teaches("lane", long, "a lesson")
		w.tells(began, "lane", long)
		one.between(began, two.left("lane"), long)
		one.between(began, one.take("lane", ask("a", long)).moment, long)
	}},
	{"Teach without a wait begins no break", func(one, two *asker) {
		two.teaches("lane", 0, "a lesson")
		one.isNow(one.left("lane"))
		one.isNow(one.take("lane", ask("a", long)).moment)
	}},
	{"each Watch tells lessons as they come", func(one, two *asker) {
		watchers := []*watcher{one.watch(), two.watch()}
		for _, w := range watchers {
			w.all()
		}
		for _, lesson := range []string{"first", "second", "a third"} {
			one.teaches("lane", 0, lesson)
			for _, w := range watchers {
				w.isTaught("lane", lesson)
			}
		}
	}},
	{"Watch tells the newest lessons before the zero Change", func(one, two *asker) {
		for _, lane := range oddNames() {
			two.teaches(lane, 0, "old")
			two.teaches(lane, 0, "new of "+lane[:min(len(lane), 100)])
		}
		told := one.watch().all()
		for _, lane := range oddNames() {
			if got, want := told[lane].Lesson, "new of "+lane[:min(len(lane), 100)]; got != want {
				one.Errorf("Watch told the lesson %.60q of %.40q, want %.60q", got, lane, want)
			}
		}
	}},
	{"a lesson is told as it is", func(one, two *asker) {
		w := one.watch()
		w.all()
		for _, lesson := range []string{" ", "a b", "\x00", "\n", "%41 +", "é\xff", strings.Repeat("l", store.LongestLesson)} {
			two.teaches("lane", 0, lesson)
			w.isTaught("lane", lesson)
		}
	}},
	{"a lesson that is empty or too long is not told, but its break is", func(one, two *asker) {
		w := one.watch()
		w.all()
		for lane, lesson := range map[string]string{"empty": "", "long": strings.Repeat("l", store.LongestLesson+1)} {
			w.tells(two.teaches(lane, long, lesson), lane, long)
		}
		for lane, got := range two.watch().all() {
			if got.Lesson != "" {
				one.Errorf("Watch told the lesson %.20q of %s", got.Lesson, lane)
			}
		}
	}},
}

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
