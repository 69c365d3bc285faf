package redisfleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	mini "github.com/alicebob/miniredis/v2/server"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An ear hears breaks, entries and lessons, and beats that say how many news there were. It knows when it has missed
// some, or hears too late.
func TestEar(t *testing.T) {
	type heardAs struct {
		breaks       map[string]time.Duration
		lessons      map[string]string
		others       []string
		missed, beat bool
	}
	lesson := spaceless("a lesson")
	for _, tt := range []struct {
		name  string
		after []time.Duration // before each message
		news  []string        // "beat ..." is a beat
		known int64           // up to this count all are known; -1: it is not known
		want  heardAs
	}{
		{"a break", nil, []string{"1 2000000 a lane"}, 0, heardAs{breaks: map[string]time.Duration{"a lane": 2 * time.Second}}},
		{"the longest counts", nil, []string{"1 2000000 a", "2 1000000 a", "3 0 b"}, 0, heardAs{breaks: map[string]time.Duration{"a": 2 * time.Second, "b": 0}}},
		{"an entry", nil, []string{"1 entry a key"}, 0, heardAs{others: []string{"a key"}}},
		{"no key", nil, []string{"1 entry ", "1 entry"}, 0, heardAs{}},
		{"a lesson has no count", nil, []string{"7 lesson " + lesson + " a lane"}, 0, heardAs{lessons: map[string]string{"a lane": "a lesson"}}},
		{"the newest lesson", nil, []string{"1 lesson " + spaceless("old") + " a", "1 lesson " + lesson + " a", "1 lesson = a", "1 lesson  a"}, 0, heardAs{lessons: map[string]string{"a": "a lesson"}}},
		{"what nobody knows", nil, []string{"", "1", "x 1 a", "1 -1 a", "1 other a", "9 other a"}, 0, heardAs{}},
		{"one was missed", nil, []string{"2 0 a"}, 0, heardAs{breaks: map[string]time.Duration{"a": 0}, missed: true}},
		{"one was missed later", nil, []string{"6 0 a", "8 0 a"}, 5, heardAs{breaks: map[string]time.Duration{"a": 0}, missed: true}},
		{"one is older", nil, []string{"6 0 a", "3 0 a", "7 0 a"}, 5, heardAs{breaks: map[string]time.Duration{"a": 0}}},
		{"nothing is known yet", nil, []string{"8 0 a"}, -1, heardAs{breaks: map[string]time.Duration{"a": 0}}},
		{"a beat", nil, []string{"beat 0 1"}, 0, heardAs{beat: true}},
		{"a beat after a break", nil, []string{"1 0 a", "beat 1 1"}, 0, heardAs{breaks: map[string]time.Duration{"a": 0}, beat: true}},
		{"a beat says that one was missed", nil, []string{"beat 1 1"}, 0, heardAs{beat: true, missed: true}},
		{"a beat of before", nil, []string{"beat 0 2", "beat 0 2"}, 0, heardAs{}},
		{"no beat", nil, []string{"beat", "beat x 1", "beat 0 x", "beat 0"}, 0, heardAs{}},
		{"a beat in time", []time.Duration{2 * time.Second}, []string{"beat 0 1"}, 0, heardAs{beat: true}},
		{"a beat that is late", []time.Duration{2*time.Second + 1}, []string{"beat 0 1"}, 0, heardAs{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := newEar()
			if tt.known >= 0 {
				e.upTo(tt.known)
			}
			assert.Equal(t, "1", e.next())
			for i, message := range tt.news {
				if i < len(tt.after) {
					time.Sleep(tt.after[i])
				}
				if beat, ok := strings.CutPrefix(message, "beat"); ok {
					e.beat(strings.TrimPrefix(beat, " "))
				} else {
					e.hear(message)
				}
			}
			deaf := len(tt.after) > 0 && tt.after[0] > 2*time.Second
			assert.Equal(t, deaf, e.isDeaf(), tt.name)
			var got heardAs
			news := e.empty()
			for lane, until := range news.breaks {
				if got.breaks == nil {
					got.breaks = make(map[string]time.Duration)
				}
				got.breaks[lane] = time.Until(until)
			}
			if len(news.lessons) > 0 {
				got.lessons = news.lessons
			}
			for change := range news.others {
				got.others = append(got.others, change.Key)
			}
			got.missed, got.beat = news.missed, news.beat
			assert.Equal(t, tt.want, got, tt.name)
			assert.Equal(t, got.breaks != nil || got.lessons != nil || got.others != nil || got.beat, len(e.news) == 1, tt.name)
			assert.Equal(t, newHeard(), e.empty(), "%s: it is told once", tt.name)
		})
	}
}

// Profiles and tokens are told once, too; a lesson that is too long, or empty, is none.
func TestWhatAnEarKeeps(t *testing.T) {
	e := newEar()
	e.upTo(9)
	e.upTo(5)
	assert.EqualValues(t, 9, e.count)
	e.note(store.Change{Token: "a"})
	e.note(store.Change{Token: "a"})
	e.differ("a profile")
	assert.Len(t, e.news, 1)
	assert.Equal(t, map[store.Change]struct{}{{Token: "a"}: {}, {Profile: "a profile"}: {}}, e.empty().others)
	long := strings.Repeat("x", store.LongestLesson)
	for text, ok := range map[string]bool{long: true, long + "x": false, "": false, "a": true} {
		lane, lesson, is := lessonOf(spaceless(text) + " a lane")
		if assert.Equal(t, ok, is); ok {
			assert.Equal(t, [2]string{"a lane", text}, [2]string{lane, lesson})
		}
	}
	_, _, ok := lessonOf(spaceless("a"))
	assert.False(t, ok, "there is no lane")
}

// The server's clock is estimated from its last answer, and is a time that is over while nobody knows.
func TestClockOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock{born: time.Now()}
		time.Sleep(time.Second)
		assert.Equal(t, "0", c.after(time.Second))
		c.learn(10_000_000)
		assert.Equal(t, "10000000", c.after(0))
		time.Sleep(2 * time.Second)
		assert.Equal(t, "13000000", c.after(time.Second))
		assert.Equal(t, "0", c.after(-time.Hour))
		c.forget()
		assert.Equal(t, "0", c.after(time.Second))
	})
}

// After a change a start waits for a gap, and a slot for a lease, unless the server is found to be the same.
func TestChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c change
		waits := func(count int, wait time.Duration) {
			t.Helper()
			n, left := c.last(2*time.Second, 10*time.Second)
			assert.Equal(t, []any{count, wait}, []any{n, left})
		}
		time.Sleep(time.Minute)
		waits(0, 0)
		first := c.wait()
		assert.Equal(t, first, c.wait())
		c.noteCut()
		<-first
		assert.True(t, c.isCut())
		waits(1, 10*time.Second)
		c.same(0)
		assert.True(t, c.isCut(), "another change has come")
		c.same(1)
		assert.False(t, c.isCut())
		waits(1, 2*time.Second)
		time.Sleep(time.Second)
		waits(1, time.Second)
		c.note(time.Now().Add(-3 * time.Second))
		waits(2, 7*time.Second)
		time.Sleep(time.Second)
		c.note(time.Now().Add(-time.Minute))
		waits(3, 6*time.Second)
		n, left := c.last(time.Hour, 0)
		assert.Equal(t, []any{3, time.Hour - 2*time.Second}, []any{n, left})
		time.Sleep(time.Minute)
		waits(3, 0)
	})
}

// A server fits if it is new enough, keeps all keys and runs scripts that count in microseconds; and what is wrong with
// one that does not take turns.
func TestServersThatFit(t *testing.T) {
	for _, tt := range []struct{ info, fits, trouble string }{
		{"", "", ""},
		{"redis_version:7.0.0", "", ""},
		{"redis_version:6.2.9", "is Redis 6.2.9: Redis 7 or later is needed", "is Redis 6.2.9"},
		{"redis_version:7.2.4 valkey_version:8.0.0", "", ""},
		{"redis_version:7.2.4 valkey_version:7.2.4", "is Valkey 7.2.4: Valkey 8 or later is needed", "is Valkey"},
		{"redis_version:unstable", "", ""},
		{"redis_mode:sentinel", "is a sentinel", "is a sentinel"},
		{"server_mode:sentinel", "is a sentinel", "is a sentinel"},
		{"arch_bits:32", "is a 32-bit build", "is a 32-bit build"},
		{"arch_bits:64 maxmemory_policy:noeviction", "", ""},
		{"redis_version:10.0.0", "", ""},
		{"maxmemory_policy:volatile-ttl", "set it to noeviction", "maxmemory-policy volatile-ttl"},
		{"maxmemory_policy:allkeys-lru", "maxmemory-policy allkeys-lru", "maxmemory-policy"},
		{"role:slave redis_mode:standalone", "", "is a replica"},
		{"role:slave redis_mode:cluster", "", ""},
		{"role:master redis_mode:standalone", "", ""},
		{"maxmemory:100 used_memory:101", "", "out of memory"},
		{"maxmemory:100 used_memory:100", "", ""},
		{"maxmemory:100 used_memory:110 mem_not_counted_for_evict:10", "", ""},
		{"maxmemory:0 used_memory:100", "", ""},
		{"min_slaves_good_slaves:0", "", "fewer replicas"},
		{"min_slaves_good_slaves:1", "", ""},
		{"rdb_last_bgsave_status:err", "", "cannot write to its disk"},
		{"aof_last_write_status:err", "", "cannot write to its disk"},
		{"rdb_last_bgsave_status:ok aof_last_write_status:ok", "", ""},
	} {
		info := make(map[string]string)
		for _, field := range strings.Fields(tt.info) {
			name, value, _ := strings.Cut(field, ":")
			info[name] = value
		}
		for want, err := range map[*string]error{&tt.fits: fits(info), &tt.trouble: troubleOf(info)} {
			if *want == "" {
				assert.NoError(t, err, tt.info)
			} else {
				assert.ErrorContains(t, err, *want, tt.info)
			}
		}
	}
	assert.NoError(t, doAbout("OTHER"))
}

// A server that does not fit is looked at each second, and one that does every four. It fits again once nothing is wrong.
func TestFitness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f fitness
		looks := func(lasts time.Duration) (looks int) {
			for range int(lasts / (100 * time.Millisecond)) {
				if f.isDue() {
					looks++
				}
				time.Sleep(100 * time.Millisecond)
			}
			return looks
		}
		assert.Equal(t, 3, looks(12*time.Second))
		layout, evicts := errors.New("another layout"), errors.New("it evicts")
		assert.False(t, f.note(&f.evicts, evicts))
		assert.Equal(t, evicts, f.why())
		assert.Equal(t, 10, looks(10*time.Second))
		assert.False(t, f.note(&f.layout, layout))
		assert.Equal(t, layout, f.why())
		assert.False(t, f.note(&f.evicts, nil))
		assert.Equal(t, 10, looks(10*time.Second))
		assert.True(t, f.note(&f.layout, nil))
		assert.False(t, f.note(&f.layout, nil))
		assert.NoError(t, f.why())
	})
}

// A process goes on alone for a second after the server was away: by a share of the rate, and of the slots.
func TestTurnsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var none *alone
		gone, back := none.learn(errors.New("gone"), 0)
		assert.False(t, gone || back)
		_, ok := none.take("lane", store.Ask{Gap: time.Second})
		assert.False(t, ok)
		none.done("lane", "a", true)
		assert.Equal(t, map[string][]string{"lane": {"a"}}, none.renew(time.Second, map[string]string{"a": "lane"}))

		a := &alone{share: 4}
		learns := func(err error, took time.Duration, wantGone, wantBack bool) {
			t.Helper()
			gone, back := a.learn(err, took)
			assert.Equal(t, [2]bool{wantGone, wantBack}, [2]bool{gone, back})
		}
		learns(nil, 0, false, false)
		learns(context.Canceled, time.Hour, false, false)
		learns(context.DeadlineExceeded, time.Second-1, false, false)
		_, ok = a.take("lane", store.Ask{Token: "a", Gap: time.Second})
		assert.False(t, ok, "the server is there")
		learns(context.DeadlineExceeded, time.Second, true, false)
		learns(fmt.Errorf("a cut: %w", errors.New("gone")), 0, true, false)
		ask := func(token string, slots int) store.Ask {
			return store.Ask{Token: token, Gap: time.Second, Slots: slots, Lease: time.Minute, Queue: true}
		}
		grant, ok := a.take("lane", ask("a", 0))
		assert.True(t, ok)
		assert.Equal(t, 4*time.Second, grant.Wait, "others may have started just before")
		grant, _ = a.take("lane", ask("b", 0))
		assert.Equal(t, 8*time.Second, grant.Wait)
		_, ok = a.take("slots", ask("a", 3))
		assert.False(t, ok, "there is no slot for each")
		grant, ok = a.take("slots", store.Ask{Token: "a", Slots: 7, Lease: time.Minute, Queue: true})
		assert.True(t, ok && grant.Slot)
		grant, _ = a.take("slots", store.Ask{Token: "b", Slots: 7, Lease: time.Minute, Queue: true})
		assert.True(t, grant.Busy && !grant.Queued)
		assert.Equal(t, map[string][]string{"slots": {"other"}}, a.renew(time.Minute, map[string]string{"a": "slots", "other": "slots"}))
		a.done("slots", "a", false)
		grant, _ = a.take("slots", store.Ask{Token: "b", Slots: 7, Lease: time.Minute})
		assert.True(t, grant.Slot)
		time.Sleep(time.Second)
		_, ok = a.take("lane", ask("c", 0))
		assert.True(t, ok)
		time.Sleep(time.Nanosecond)
		_, ok = a.take("lane", ask("d", 0))
		assert.False(t, ok, "the server is asked again")
		learns(context.Canceled, 0, false, false)
		learns(nil, 0, false, true)
		learns(nil, 0, false, false)
		learns(errors.New("gone"), 0, true, false)
		grant, _ = a.take("lane", ask("e", 0))
		assert.Equal(t, 4*time.Second, grant.Wait, "it begins anew")
	})
}

// How a process is is told every four seconds, in three lines that are bounded; and is read again, with its silence.
func TestReporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		status := store.Status{Profile: "a=1", Health: "hears\nall " + strings.Repeat("x", 2000)}
		r := reporter{status: func() store.Status { return status }, name: "a\nname" + strings.Repeat("x", 200), key: "key"}
		told := r.due(now)
		name, health := "a name"+strings.Repeat("x", 94), "hears all "+strings.Repeat("x", 1014)
		assert.Equal(t, &telling{"key", "a=1", name + "\na=1\n" + health}, told)
		assert.Nil(t, r.due(now.Add(4*time.Second-1)))
		assert.NotNil(t, r.due(now.Add(4*time.Second)))
		assert.Nil(t, r.due(now.Add(5*time.Second)))
		r.tellSoon()
		assert.NotNil(t, r.due(now.Add(5*time.Second)))
		status.Profile = strings.Repeat("x", 1024)
		assert.NotNil(t, r.due(now.Add(time.Minute)))
		status.Profile += "x"
		assert.Nil(t, r.due(now.Add(time.Hour)))
		r.status = nil
		assert.Nil(t, r.due(now.Add(2*time.Hour)))

		for silent, at := range map[time.Duration]string{0: "10000000", 10*time.Second + time.Microsecond: "9999999", 20 * time.Second: "0", -1: "x"} {
			want := Process{Key: "key", Name: name, Status: store.Status{Profile: "a=1", Health: health}, Silent: max(silent, 0)}
			assert.Equal(t, want, processOf("key", at+"\n"+told.all, 20_000_000), at)
		}
		var ids roster
		one := ids.join()
		two := ids.join()
		assert.NotEqual(t, one, two)
		ids.leave(one)
		assert.Equal(t, one, ids.join())
		assert.ElementsMatch(t, []string{one, two}, ids.all())
		assert.Equal(t, "a name", nameOf("a name"))
		assert.Regexp(t, `.:\d+$`, nameOf(""))
	})
}

// Tokens that wait for slots are told by what stands for them, if this process knows them.
func TestQueueOfTokens(t *testing.T) {
	var q queue
	assert.Equal(t, nobody, q.join("a"))
	end := q.hears("one")
	assert.Equal(t, "one", q.join("a"))
	other := q.hears("another")
	end()
	assert.Equal(t, "another", q.join("a"), "the newest")
	other()
	assert.Equal(t, nobody, q.join("a"))
	message := fmt.Sprintf("%x %s", short("a"), tagged("a lane"))
	change, ok := q.told(message)
	assert.True(t, ok)
	assert.Equal(t, store.Change{Lane: "a lane", Token: "a"}, change)
	q.leave(short("a"))
	for _, message := range []string{message, "", "zz =a lane", fmt.Sprintf("%x a lane", short("a"))} {
		_, ok = q.told(message)
		assert.False(t, ok, message)
	}
}

// Names are kept in few octets, and are found again.
func TestTags(t *testing.T) {
	for lane, kept := range map[string]string{
		"origin https://example.com:443":  "~example.com",
		"origin https://example.com:8443": "=origin https://example.com:8443",
		"origin http://example.com:443":   "=origin http://example.com:443",
		"key a":                           "=key a",
		"":                                "=",
	} {
		assert.Equal(t, kept, tagged(lane))
		name, ok := untagged(kept)
		assert.True(t, ok)
		assert.Equal(t, lane, name)
	}
	for _, text := range []string{"", "a lane"} {
		_, ok := untagged(text)
		assert.False(t, ok)
	}
}

// Durations are whole microseconds, bounded.
func TestMicros(t *testing.T) {
	for d, want := range map[time.Duration]string{-1: "0", 0: "0", 1: "1", 1000: "1", 1001: "2", time.Hour: "3600000000", 25 * time.Hour: "86400000000"} {
		assert.Equal(t, want, micros(d, day), d)
	}
	for d, want := range map[time.Duration]string{-1: "315360000000000", 0: "315360000000000", 999: "0", 1999: "1", always: "315360000000000", always + time.Hour: "315360000000000"} {
		assert.Equal(t, want, atMost(d), d)
	}
	assert.EqualValues(t, 3_600_000_000, numberAt(string(bytes(nil, time.Hour, day))))
}

// Who does not speak as a server is told apart by the first octet.
func TestGreeted(t *testing.T) {
	for begins, why := range map[byte]string{'+': "", '-': "", '%': "", '|': "", 'H': isHTTP, '<': isHTTP, 0x15: onlyTLS, 0x16: onlyTLS, 'S': noServer, 0: noServer} {
		if err := greeted(begins); why == "" {
			assert.NoError(t, err)
		} else {
			assert.Equal(t, &strangerError{why, errStranger}, err)
		}
	}
}

// News are told once, breaks for a day at most. The first beat lets others hear of this process soon.
func TestNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []store.Change
		w := &watcher{Fleet: new(Fleet), tell: func(c store.Change) { told = append(told, c) }, ear: newEar()}
		w.reporter.told = time.Now()
		hears := func(edit func(h *heard)) (all []store.Change, err error) {
			told = nil
			edit(&w.ear.heard)
			err = w.empty()
			return told, err
		}
		at := func(d time.Duration) time.Time { return time.Now().Add(d) }
		for _, tt := range []struct {
			edit func(h *heard)
			want []store.Change
		}{
			{func(h *heard) { h.breaks["a"] = at(time.Second) }, []store.Change{{Lane: "a", Break: time.Second}}},
			{func(h *heard) { h.breaks["a"] = at(48 * time.Hour) }, []store.Change{{Lane: "a", Break: day}}},
			{func(h *heard) { h.breaks["a"] = at(0) }, nil},
			{func(h *heard) { h.lessons["a"] = "b" }, []store.Change{{Lane: "a", Lesson: "b"}}},
			{func(h *heard) { h.lessons["a"], h.breaks["a"] = "b", at(48*time.Hour) }, []store.Change{{Lane: "a", Break: day}, {Lane: "a", Lesson: "b", Break: day}}},
			{func(h *heard) { h.others[store.Change{Key: "k"}] = struct{}{} }, []store.Change{{Key: "k"}}},
			{func(*heard) {}, nil},
		} {
			all, err := hears(tt.edit)
			assert.NoError(t, err)
			assert.Equal(t, tt.want, all)
		}
		all, err := hears(func(h *heard) { h.missed, h.beat = true, true })
		assert.Empty(t, all)
		assert.Equal(t, errMissed, err)
		assert.NotZero(t, w.reporter.told)
		all, err = hears(func(h *heard) { h.beat = true })
		assert.NoError(t, err)
		assert.Equal(t, []store.Change{{}}, all)
		assert.Zero(t, w.reporter.told)
		w.reporter.told = time.Now()
		hears(func(h *heard) { h.beat = true })
		assert.NotZero(t, w.reporter.told, "only the first time")
		w.fail(errMissed)
		w.fails = make(chan error, 1)
		w.fail(errMissed)
		w.fail(errSilent)
		assert.Equal(t, errMissed, <-w.fails)
	})
}

// After a change, a turn waits for the longer of what may be lost and what the server says. Who the server is, is asked
// only if a slot would wait for it; and a lesson is kept if it is one.
func TestTurnsAfterAChange(t *testing.T) {
	server := miniredis.RunT(t)
	f, err := Open(t.Context(), "redis://"+server.Addr(), Options{Prefix: "test"})
	require.NoError(t, err)
	defer f.Close()
	asked := 0
	server.Server().SetPreHook(func(_ *mini.Peer, command string, _ ...string) bool {
		if command == "INFO" {
			asked++
		}
		return false
	})
	require.NoError(t, f.Break(t.Context(), "breaks", 2*time.Hour))
	rate, slot := store.Ask{Token: "a", Gap: time.Hour}, store.Ask{Token: "a", Slots: 2, Lease: time.Hour}
	short, ahead := slot, slot
	short.Lease, ahead.Lead = time.Nanosecond, 2*time.Hour
	for _, tt := range []struct {
		name   string
		change func()
		lane   string
		ask    store.Ask
		wait   time.Duration // or a little less
		busy   bool
		asked  int
	}{
		{"no change", func() {}, "a", slot, 0, false, 0},
		{"a loss", func() { f.changed(0) }, "a", slot, time.Hour, true, 0},
		{"a loss, and a start far ahead", func() { f.changed(0) }, "b", ahead, time.Hour, false, 0},
		{"a loss in a break", func() { f.changed(0) }, "breaks", slot, 2 * time.Hour, true, 0},
		{"a cut", f.cut, "c", slot, time.Hour, true, 2},
		{"a cut without slots", f.cut, "d", rate, time.Hour, false, 0},
		{"a cut that is over", f.cut, "e", short, 0, false, 0},
	} {
		f.change, asked = change{}, 0
		tt.change()
		grant, err := f.Take(t.Context(), tt.lane, tt.ask)
		require.NoError(t, err)
		assert.InDelta(t, tt.wait, grant.Wait, float64(10*time.Minute), tt.name)
		assert.Equal(t, tt.busy, grant.Busy, tt.name)
		assert.Equal(t, tt.asked, asked, tt.name)
	}
	longest := strings.Repeat("x", store.LongestLesson)
	for _, tt := range []struct {
		lesson string
		keep   time.Duration
		kept   bool
	}{{"", time.Hour, false}, {longest, time.Hour, true}, {longest + "x", time.Hour, false}, {"a", 0, false}, {"a", time.Hour, true}} {
		server.Del(f.keys.lessons())
		require.NoError(t, f.Teach(t.Context(), "taught", 0, tt.lesson, tt.keep))
		assert.Equal(t, tt.kept, server.Exists(f.keys.lessons()))
	}
}
