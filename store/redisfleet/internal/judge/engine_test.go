package judge_test

import (
	"cmp"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	mini "github.com/alicebob/miniredis/v2/server"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/go-polite/polite/store/redisfleet/internal/signals"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/require"
)

// An engine is a server of this test's own, or a double whose clock can be set.
type engine struct {
	testing.TB
	port   string
	dir    string
	server *exec.Cmd
	double *miniredis.Miniredis
	ahead  atomic.Int64
	busy   sync.Mutex // one fault at a time happens to it
}

// program is what an engine runs.
var program = cmp.Or(os.Getenv("POLITE_SERVER"), "redis-server")

// startEngine starts a server. Without the program, the test is skipped.
func startEngine(t testing.TB) *engine {
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(program + " is not installed: there is nothing to judge")
	}
	e := &engine{TB: t, port: network.FreePort(t), dir: t.TempDir()}
	e.start()
	t.Cleanup(e.kill)
	return e
}

func (e *engine) address() string {
	if e.double != nil {
		return e.double.Addr()
	}
	return "127.0.0.1:" + e.port
}

func (e *engine) start() {
	log, err := os.Create(filepath.Join(e.dir, "log"))
	require.NoError(e, err)
	defer log.Close()
	e.server = exec.Command(program, "--port", e.port, "--bind", "127.0.0.1", "--save", "", "--dir", e.dir)
	e.server.Stdout, e.server.Stderr = log, log
	require.NoError(e, e.server.Start())
	for range 500 {
		if conn, err := net.Dial("tcp", e.address()); err == nil {
			conn.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	e.Fatalf("%s does not start: %s", program, text)
}

func (e *engine) kill() {
	e.server.Process.Kill()
	e.server.Wait()
}

func (e *engine) stop()   { signals.Stop(e.server.Process) }
func (e *engine) resume() { signals.Continue(e.server.Process) }

// do runs a command.
func (e *engine) do(words ...string) {
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{e.address()}, DisableCache: true, ForceSingleClient: true})
	if err == nil {
		defer c.Close()
		err = c.Do(e.Context(), c.B().Arbitrary(words...).Build()).Error()
	}
	if err != nil {
		e.Errorf("%v: %v", words, err)
	}
}

// startDouble starts a server in this process. Its clock can be set, and goes on.
func startDouble(t testing.TB) *engine {
	e := &engine{TB: t, double: miniredis.NewMiniRedis()}
	require.NoError(t, e.double.Start())
	t.Cleanup(e.double.Close)
	e.double.Server().SetPreHook(func(c *mini.Peer, command string, _ ...string) bool {
		if command != "TIME" {
			return false
		}
		now := time.Now().Add(time.Duration(e.ahead.Load())).UnixMicro()
		c.WriteLen(2)
		c.WriteBulk(strconv.FormatInt(now/1e6, 10))
		c.WriteBulk(strconv.FormatInt(now%1e6, 10))
		return true
	})
	return e
}

// step sets the double's clock.
func (e *engine) step(by time.Duration) { e.ahead.Add(int64(by)) }
