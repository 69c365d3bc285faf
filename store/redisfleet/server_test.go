package redisfleet_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/require"
)

// programs are the servers that a fleet can use.
var programs = []string{"redis-server", "valkey-server"}

// A server is a server of this test's own.
type server struct {
	testing.TB
	program string
	bus     string // the port of a cluster's node for the others
	port    string
	dir     string
	args    []string
	process *exec.Cmd
}

// startServer starts a server on a free port of this machine: the first program that is
// installed, or the one that POLITE_SERVER names.
func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	if program := os.Getenv("POLITE_SERVER"); program != "" {
		return startProgram(t, program, args...)
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			return startProgram(t, program, args...)
		}
	}
	t.Skip("no server is installed: only the double is tested")
	return nil
}

func startProgram(t testing.TB, program string, args ...string) *server {
	s := &server{TB: t, program: program, port: network.FreePort(t), dir: t.TempDir()}
	s.args = append([]string{"--port", s.port, "--bind", "127.0.0.1", "--save", "", "--dir", s.dir, "--enable-debug-command", "yes"}, args...)
	s.start()
	t.Cleanup(s.kill)
	return s
}

// TestMain lets more tests run at once than there are processors: they wait for servers.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}

func (s *server) start() {
	s.Helper()
	log, err := os.Create(filepath.Join(s.dir, "log"))
	require.NoError(s, err)
	defer log.Close()
	s.process = exec.Command(s.program, s.args...)
	s.process.Stdout, s.process.Stderr = log, log
	require.NoError(s, s.process.Start())
	for range 500 {
		if conn, err := net.Dial("tcp", s.address()); err == nil {
			conn.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	s.Fatalf("%s does not start: %s", s.program, text)
}

func (s *server) kill() {
	s.process.Process.Kill()
	s.process.Wait()
}

func (s *server) address() string { return "127.0.0.1:" + s.port }
func (s *server) url() string     { return "redis://" + s.address() }

// client returns a client that tests use beside the fleet.
func (s *server) client() rueidis.Client { return connect(s, s.address()) }

func connect(t testing.TB, address string) rueidis.Client {
	t.Helper()
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{address}, DisableCache: true, ForceSingleClient: true})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// do runs a command, and returns what came.
func do(t testing.TB, c rueidis.Client, command string, args ...string) rueidis.RedisMessage {
	t.Helper()
	reply, err := c.Do(context.Background(), c.B().Arbitrary(strings.Fields(command)...).Args(args...).Build()).ToMessage()
	if !rueidis.IsRedisNil(err) {
		require.NoError(t, err, command)
	}
	return reply
}

// open opens a fleet for a test.
func open(t testing.TB, url string, o redisfleet.Options) *redisfleet.Fleet {
	t.Helper()
	if o.Prefix == "" {
		o.Prefix = "test"
	}
	f, err := redisfleet.Open(t.Context(), url, o)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

// names makes prefixes for fleets that share a server.
type names struct{ n int }

func (n *names) next() string { n.n++; return fmt.Sprint("test:", n.n) }

// laneKey returns the key of a lane, as the package documentation says.
func laneKey(lane string) string {
	sum := sha256.Sum256([]byte(lane))
	return "test:t:" + base64.RawURLEncoding.EncodeToString(sum[:12])
}
