package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onServers runs a test on the double, and on a server if one is installed.
func onServers(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("double", func(t *testing.T) { test(t, "redis://"+miniredis.RunT(t).Addr()) })
	t.Run("server", func(t *testing.T) { test(t, startServer(t)) })
}

// startServer starts a server on a socket of its own.
func startServer(t *testing.T) string {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed: only the double is tested")
	}
	socket := filepath.Join(t.TempDir(), "redis")
	cmd := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	require.Eventually(t, func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	return "unix://" + socket
}

func openFleet(t *testing.T, url string) *redisfleet.Fleet {
	f, err := redisfleet.Open(t.Context(), url, redisfleet.Options{Prefix: "test"})
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

func take(t *testing.T, f *redisfleet.Fleet, lane string, ask store.Ask) {
	t.Helper()
	_, err := f.Take(t.Context(), lane, ask)
	require.NoError(t, err)
}

func connect(t *testing.T, url string) rueidis.Client {
	option, err := rueidis.ParseURL(url)
	require.NoError(t, err)
	option.DisableCache = true
	c, err := rueidis.NewClient(option)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func set(t *testing.T, c rueidis.Client, key, value string) {
	t.Helper()
	require.NoError(t, c.Do(t.Context(), c.B().Set().Key(key).Value(value).Build()).Error())
}

// objects returns the lines of JSON that a command has written.
func objects(t *testing.T, out string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(out) {
		var o map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &o), line)
		all = append(all, o)
	}
	return all
}

func TestLook(t *testing.T) {
	onServers(t, func(t *testing.T, url string) {
		f, ctx := openFleet(t, url), t.Context()
		take(t, f, "https://gap.example", store.Ask{Token: "a", Gap: time.Hour})
		take(t, f, "https://gap.example", store.Ask{Token: "b", Gap: time.Hour})
		for i := range 10 {
			take(t, f, "https://slots.example", store.Ask{Token: fmt.Sprint(i), Slots: 10, Lease: time.Hour})
		}
		take(t, f, "https://slots.example", store.Ask{Token: "waits", Slots: 10, Lease: time.Hour, Queue: true})
		require.NoError(t, f.Break(ctx, "https://break.example", 3*time.Hour))
		_, err := f.Claim(ctx, "DemoBot https://claimed.example", "", time.Hour)
		require.NoError(t, err)
		claim, err := f.Claim(ctx, "DemoBot https://known.example", "", time.Hour)
		require.NoError(t, err)
		require.NoError(t, f.Put(ctx, "DemoBot https://known.example", claim.Token, []byte("entry"), time.Hour))

		r := runCommand(ctx, "--prefix", "test", url)
		assert.Equal(t, result{out: r.out}, r)
		for _, says := range []string{
			"lanes    3: 2 waiting, 1 in a break; 1 starts reserved, 10 slots taken, 1 in the queue\n",
			"entries  1, and 1 being fetched\n",
			"   2h59m   2h59m         0      0      0  https://break.example\n   1h59m       -         1      0      0  https://gap.example\n",
			"       -       -         0     10      1  https://slots.example\n",
			"and 2 more slots\n",
			"  59m59s  DemoBot https://claimed.example  (token ",
		} {
			assert.Contains(t, r.out, says)
		}
		assert.Equal(t, 8, strings.Count(r.out, "slot of token"))
		assert.NotContains(t, r.out, "known.example")

		r = runCommand(ctx, url, "--prefix", "test", "--lane", "gap.example", "--json")
		all := objects(t, r.out)
		require.Len(t, all, 2)
		assert.Equal(t, "https://gap.example", all[0]["lane"])
		assert.InDelta(t, 7200, all[0]["wait"], 60)
		assert.EqualValues(t, 3, all[1]["lanes"], "all are counted")
		assert.EqualValues(t, 1, all[1]["claims"])

		r = runCommand(ctx, url, "--prefix", "test", "-n", "1")
		assert.Contains(t, r.out, "break.example")
		assert.NotContains(t, r.out, "gap.example")
		r = runCommand(ctx, url, "--prefix", "test", "-n", "0", "--json")
		assert.Len(t, objects(t, r.out), 1)
		r = runCommand(ctx, url, "--prefix", "other")
		assert.Equal(t, succeeded, r.status)
		assert.Contains(t, r.out, "lanes    0:")
	})
}

// hostile are texts that act where they are shown.
func hostile() []string {
	return []string{
		"", "\x1b[31mred", "\x1b]0;title\a", "a\nlanes    9", "a\r\nb", "\u202eabc", "\u200b", "\u2028", "##[error]a", "::error::a",
		"\xff\xfe", "\x00", "\x9b31m", "-rf", "<script>", `"}`, strings.Repeat("long", 1<<12), strings.Repeat("\u202e", 1<<12),
	}
}

// What a site or a server wrote does nothing on a terminal, and ends no line.
func TestLookIsPrintable(t *testing.T) {
	onServers(t, func(t *testing.T, url string) {
		f, ctx := openFleet(t, url), t.Context()
		for _, text := range hostile() {
			take(t, f, text, store.Ask{Token: text, Slots: 1, Lease: time.Hour})
			_, err := f.Claim(ctx, text, "", time.Hour)
			require.NoError(t, err)
		}
		c := connect(t, url)
		for i, text := range hostile() {
			key := fmt.Sprintf("%.16s", fmt.Sprintf("%02d%s%s", i, text, strings.Repeat("x", 16)))
			set(t, c, "test:t:"+key, text)
			set(t, c, "test:e:"+key, claimOf(strings.Repeat("\x1b", 26), ""))
			set(t, c, "test:e:"+fmt.Sprintf("%016d", i), claimOf(strings.Repeat("\x1b", 26), text))
			set(t, c, fmt.Sprintf("test:{breaks}:process:%026d", i), strings.Join([]string{text, text, text}, "\n"))
		}
		r := runCommand(ctx, url, "--prefix", "test", "--json", "--lane", "::error::a")
		badToken(t, c, objects(t, r.out)[0]["key"].(string))
		for _, args := range []string{"-n 100", "-n 5", "--json -n 100"} {
			r := runCommand(ctx, append(strings.Fields("--prefix test "+url), strings.Fields(args)...)...)
			assert.Equal(t, succeeded, r.status, r.err)
			assert.Less(t, len(r.out), 1<<18)
			if strings.Contains(args, "json") {
				assert.Equal(t, printable.JSON(r.out), r.out)
				all := objects(t, r.out)
				assert.Greater(t, len(all), 3*len(hostile()))
				for _, o := range all {
					assert.Less(t, len(fmt.Sprint(o["lane"], o["fetches"])), 1100)
				}
				continue
			}
			assert.Equal(t, printable.Lines(r.out), r.out)
			if strings.Contains(args, "100") {
				assert.Contains(t, r.out, `slot of token 1b1b1b1b1b1b1b1b for`)
				assert.Contains(t, r.out, `for the entry test:e:`)
			}
			for line := range strings.Lines(r.out) {
				assert.Regexp(t, `^(lanes    |entries  |bytes    |process  | |\n$)`, line)
				assert.NotRegexp(t, `^lanes    9`, line)
			}
		}
	})
}

// reporting lets a process tell how it is until the test ends.
func reporting(t *testing.T, url, name string, status store.Status) {
	f, err := redisfleet.Open(t.Context(), url, redisfleet.Options{Prefix: "test", Name: name})
	require.NoError(t, err)
	t.Cleanup(f.Close)
	heard := make(chan struct{}, 1<<10)
	go f.Report(t.Context(), func() store.Status { return status }, func(store.Change) { heard <- struct{}{} })
	for range 4 { // it tells once it hears
		<-heard
	}
}

// Each process is shown with what it has told, those that are deaf first.
func TestLookAtProcesses(t *testing.T) {
	onServers(t, func(t *testing.T, url string) {
		reporting(t, url, "first", store.Status{Profile: "MinDelay=1s", Health: "hears slack=7ms"})
		reporting(t, url, "second", store.Status{Profile: "MinDelay=2s", Health: "deaf slack=7ms"})
		r := runCommand(t.Context(), url, "--prefix", "test")
		assert.Contains(t, r.out, "process  2: configured in 2 ways, 1 deaf\n")
		assert.Contains(t, r.out, `
 process
  second
      MinDelay=2s
      deaf slack=7ms
  first
      MinDelay=1s
      hears slack=7ms
`)
		r = runCommand(t.Context(), url, "--prefix", "test", "--json")
		all := objects(t, r.out)
		require.Len(t, all, 3)
		assert.Equal(t, "second", all[0]["process"])
		assert.Equal(t, "hears slack=7ms", all[1]["health"])
		assert.EqualValues(t, 2, all[2]["processes"])
		assert.EqualValues(t, 2, all[2]["profiles"])
		assert.EqualValues(t, 1, all[2]["processes_deaf"])
	})
}

// badToken puts a token that acts into the slot of a lane.
func badToken(t *testing.T, c rueidis.Client, key string) {
	t.Helper()
	text, err := c.Do(t.Context(), c.B().Get().Key(key).Build()).ToString()
	require.NoError(t, err)
	set(t, c, key, text[:29]+strings.Repeat("\x1b", 8)+text[37:])
}

// claimOf returns the claim of a token as the server keeps it.
func claimOf(token, name string) string {
	ends := time.Now().Add(time.Hour).UnixMicro()
	return strings.Repeat("0", 32) + strings.Repeat(" ", 26) + fmt.Sprintf("%016d", ends) + token + " " + name
}

func TestLookIsInterrupted(t *testing.T) {
	url := "redis://" + miniredis.RunT(t).Addr()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := runCommand(ctx, url, "--prefix", "test")
	assert.Equal(t, failed, r.status)
	assert.Empty(t, r.out)
}
