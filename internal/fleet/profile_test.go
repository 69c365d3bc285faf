package fleet

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

func settings(pairs ...string) (all []Setting) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, Setting{pairs[i], pairs[i+1]})
	}
	return all
}

// Transports that differ have several values. Their gaps or limits are mixed.
func TestProfile(t *testing.T) {
	long := strings.Repeat("x", 101)
	for _, tt := range []struct {
		transports [][]Setting
		text       string
		mixed      bool
	}{
		{nil, "", false},
		{[][]Setting{settings("MinDelay", "1s", "Agents", "a bot|another")}, "Agents=a+bot%7Canother MinDelay=1s", false},
		{[][]Setting{settings("MinDelay", "1s"), settings("MinDelay", "1s")}, "MinDelay=1s", false},
		{[][]Setting{settings("MinDelay", "2s"), settings("MinDelay", "1s")}, "MinDelay=1s|2s", true},
		{[][]Setting{settings("MaxDelay", "2s"), settings("MaxDelay", "1s")}, "MaxDelay=1s|2s", true},
		{[][]Setting{settings("Concurrency", "2"), settings("Concurrency", "1")}, "Concurrency=1|2", true},
		{[][]Setting{settings("Agents", "b"), settings("Agents", "a")}, "Agents=a|b", false},
		{[][]Setting{settings("Agents", long[:100])}, "Agents=" + long[:100], false},
		{[][]Setting{settings("Agents", long)}, "Agents=sha256-c675a2e604b0cd1229c036e3ce0c87422980a245e295bbc605a507a2299752db", false},
		{[][]Setting{settings("A", "1", "A", "2", "A", "3", "A", "4", "A", "5", "A", "6", "A", "7", "A", "8", "A", "9")}, "A=1|2|3|4|5|6|7|8", false},
	} {
		l := New(1<<20, newScript())
		for _, s := range tt.transports {
			l.Configure(s, nil)
		}
		assert.Equal(t, tt.text, l.status().Profile)
		assert.Equal(t, tt.mixed, l.Mixed(), tt.text)
	}
}

// Settings differ if each process has a value that the other has not.
func TestDifferences(t *testing.T) {
	for _, tt := range []struct{ here, there, want string }{
		{"A=1", "A=1", ""},
		{"A=1", "A=2", "A 1 2"},
		{"A=1", "B=2", ""},
		{"A=1|2", "A=1", ""},
		{"A=1", "A=1|2", ""},
		{"A=1|2", "A=2|3", "A 1|2 2|3"},
		{"B=1 A=a+bot", "A=%2F B=2", "A a bot /,B 1 2"},
		{"A=1", "A=%zz", "A 1 %zz"},
		{"A=1", "A", ""},
		{"A=1", "A=2 " + strings.Repeat("x", 1020), "A 1 2"},
		{"A=1", "A=2 " + strings.Repeat("x", 1021), ""},
	} {
		var all []string
		for _, d := range profileOf(tt.here).differences(profileOf(tt.there)) {
			all = append(all, d.Setting+" "+d.Here+" "+d.There)
		}
		assert.Equal(t, tt.want, strings.Join(all, ","), "%s, %.20s", tt.here, tt.there)
	}
}

// Each Difference is told once, and is known for six seconds after the other process was heard of last.
func TestPeersThatDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(1<<20, newScript())
		var told []string
		l.hear(store.Change{Profile: "MinDelay=3s"})
		l.Configure(settings("MinDelay", "1s"), &Observer{Happened: func(e store.HealthEvent) { told = append(told, e.Difference.There) }})
		hears := func(values ...string) {
			for _, v := range values {
				l.hear(store.Change{Profile: "MinDelay=" + v})
			}
		}
		assert.False(t, l.Differs())
		hears("1s")
		assert.False(t, l.Differs())
		hears("3s", "2s", "2s")
		assert.Equal(t, []string{"3s", "2s"}, told)
		assert.Equal(t, []store.Difference{{Setting: "MinDelay", Here: "1s", There: "2s"}, {Setting: "MinDelay", Here: "1s", There: "3s"}}, l.Health().Differences)
		time.Sleep(5 * second)
		hears("2s")
		time.Sleep(1001 * ms)
		assert.Len(t, l.Health().Differences, 1)
		time.Sleep(4999 * ms)
		assert.False(t, l.Differs())
		assert.Empty(t, l.Health().Differences)
		time.Sleep(ms)
		hears("2s")
		assert.True(t, l.Differs())
		assert.Len(t, told, 2)

		for i := range 20 { // with the one, sixteen
			hears(fmt.Sprint("x", i))
		}
		assert.Len(t, l.Health().Differences, 16)
		for range 10 {
			time.Sleep(7 * second)
			for i := range 10 {
				hears(fmt.Sprint(time.Now().Unix(), "x", i))
			}
		}
		assert.Len(t, told, 64)
		time.Sleep(7 * second)
		l.hear(store.Change{Profile: "MinDelay=2s " + strings.Repeat("x", 1020)})
		assert.False(t, l.Differs(), "it is too long")
	})
}
