package stage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// A server is the one that the fleet shares.
type server struct {
	URL   string
	Name  string // what it is
	Close func()
}

// openServer starts redis-server, or a stand-in within this process if there is none.
func openServer(ctx context.Context) (*server, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		double, err := miniredis.Run()
		if err != nil {
			return nil, err
		}
		return &server{"redis://" + double.Addr(), "miniredis, because redis-server is not installed", double.Close}, nil
	}
	folder, err := os.MkdirTemp("", "politefleet")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, "redis")
	cmd := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder)
	endWithParent(cmd)
	if err := cmd.Start(); err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	s := &server{"unix://" + socket, "redis-server", func() {
		cmd.Process.Kill()
		cmd.Wait()
		os.RemoveAll(folder)
	}}
	if err := listens(ctx, socket); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// listens waits until redis-server listens.
func listens(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("redis-server does not answer"))
	defer cancel()
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
