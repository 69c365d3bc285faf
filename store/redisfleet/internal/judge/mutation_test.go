package judge_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A mutation takes a safeguard out of the crawler. Then the judge must find a violation, in a
// world where it finds none otherwise.
type mutation struct {
	safeguard string
	file      string // of the repository
	old, new  string // old is there once
	processes int
	absent    int // of these, at first
	lane      lane
	fault     fault
}

var safeguards = []mutation{
	{
		safeguard: "the check at the connection",
		file:      "internal/send/wire.go", old: "turn.Connected(ctx, streams)", new: "context.Cause(ctx)",
		processes: 4, lane: lane{Delay: 100 * ms, Workers: 1, Dial: 300 * ms, Alone: true},
		fault: fault{name: "slow dials", do: func(*fleet) { time.Sleep(5 * time.Second) }},
	},
	{
		safeguard: "Done frees the slot of its token alone",
		file:      "store/redisfleet/scripts/done.lua", old: "cut(slots, token, 15), cut", new: "sub(slots, 16), cut",
		processes: 4, lane: lane{Slots: 3, Workers: 2, Body: 400 * ms},
		fault: fault{name: "commands come twice", do: func(f *fleet) {
			f.set(f.proxies, 5*time.Second, func(d *network.Does) { d.Twice = true })
		}},
	},
	{
		safeguard: "the next start is later by the slack of the last",
		file:      "store/redisfleet/scripts/take.lua", old: "pack('>I7', at + slack), ask", new: "pack('>I7', at), ask",
		processes: 3, lane: lane{Delay: 200 * ms, Workers: 1},
		fault: fault{name: "one is far", do: func(f *fleet) {
			f.set(f.proxies[:1], 10*time.Second, func(d *network.Does) { d.Delay = 300 * ms })
		}},
	},
	{
		safeguard: "a lane lives for ten minutes at least",
		file:      "store/redisfleet/scripts/take.lua", old: "(ends - now) / 1000 + 661000", new: "(ends - now) / 1000 + 1",
		processes: 2, absent: 1, lane: lane{Delay: 100 * ms, Own: []time.Duration{0, 5 * time.Second}, Workers: 1},
		fault: fault{name: "one with a longer gap comes", do: func(f *fleet) {
			time.Sleep(time.Second)
			f.process(0).kill()
			time.Sleep(400 * ms)
			f.join(1)
			time.Sleep(7 * time.Second)
		}},
	},
	{
		safeguard: "a request ends before its lease",
		file:      "internal/fleet/slots.go", old: "time.AfterFunc(lasts(taken), func() { l.lost(s) })", new: "time.AfterFunc(lasts(taken), func() {})",
		processes: 3, lane: lane{Slots: 1, Workers: 1, Body: 400 * ms},
		fault: fault{name: "cut off", away: true, do: func(f *fleet) { f.cutOff(0, slotLease+3*time.Second) }},
	},
	{
		safeguard: "who joins hears of the breaks that are under way",
		file:      "store/redisfleet/watch.go", old: "w.pages(ctx, w.keys.index(), w.told)", new: "w.pages(ctx, w.keys.index(), func(string, time.Duration) {})",
		processes: 3, lane: lane{Workers: 2, Rest: 250 * ms, Late: true},
		fault: fault{name: "joins in a break", do: joinInBreak},
	},
	{
		safeguard: "a pause when the engine may be another",
		file:      "store/redisfleet/clock.go", old: "left(c.at, gap)", new: "left(c.at, 0*gap)",
		processes: 4, lane: lane{Delay: 2 * time.Second, Workers: 1},
		fault: fault{name: "engine killed", away: true, do: func(f *fleet) {
			for range 2 {
				f.awaitPage()
				f.happens(dies, func() {
					f.engine.kill()
					f.engine.start()
				})
				time.Sleep(3 * time.Second)
			}
		}},
	},
}

// Without any of its safeguards, the fleet does not keep its promises, and the judge says so.
func TestMutations(t *testing.T) {
	long.Only(t)
	self, err := os.Executable()
	require.NoError(t, err)
	for _, m := range safeguards {
		t.Run(m.safeguard, func(t *testing.T) {
			m.lane.Host = "free.test"
			w := world{processes: m.processes, absent: m.absent, lanes: []lane{m.lane}, seed: long.Seed(t)}
			w.binary = self
			assert.Empty(t, m.fault.violations(t, w))
			w.binary = m.build(t)
			found := m.fault.violations(t, w)
			require.NotEmpty(t, found, "the mutant survives")
			t.Logf("%s: %d violations, such as %s", m.fault.name, len(found), found[0])
		})
	}
}

// violations returns what the judge finds if one fault happens in a world.
func (one *fault) violations(t *testing.T, w world) []string {
	f := startFleet(t, w)
	time.Sleep(2 * time.Second)
	f.suffer(one)
	f.stop()
	v := f.account().judge()
	t.Logf("%+v", *v)
	return v.violations
}

// awaitPage waits for the next page.
func (f *fleet) awaitPage() {
	for n := len(f.site.log()); ; time.Sleep(5 * ms) {
		for _, one := range f.site.log()[n:] {
			if !one.robots && f.site.lanes[one.host] != nil {
				return
			}
		}
		if f.Context().Err() != nil {
			return
		}
	}
}

// Each safeguard is where its mutation takes it out.
func TestMutationsApply(t *testing.T) {
	for _, m := range safeguards {
		m.apply(t)
	}
}

// apply returns the path of the file, and its text without the safeguard.
func (m *mutation) apply(t *testing.T) (file, mutant string) {
	root, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	file = filepath.Join(root, m.file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), m.old), "%s has changed: %q is not there once", m.file, m.old)
	return file, strings.Replace(string(text), m.old, m.new, 1)
}

// build builds the crawler without the safeguard.
func (m *mutation) build(t *testing.T) (binary string) {
	file, text := m.apply(t)
	dir := t.TempDir()
	mutant, overlay := filepath.Join(dir, "mutant"), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(mutant, []byte(text), 0o600))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: mutant}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	binary = filepath.Join(dir, "crawler")
	output, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", output)
	return binary
}
