package redisfleet_test

import (
	"os/exec"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/storetest"
)

func TestDouble(t *testing.T) {
	t.Parallel()
	test(t, func(t *testing.T) (string, func(time.Duration)) {
		double := startDouble(t)
		return double.url(), double.pass
	})
}

func TestServer(t *testing.T) {
	t.Parallel()
	for _, program := range programs {
		t.Run(program, func(t *testing.T) {
			if _, err := exec.LookPath(program); err != nil {
				t.Skip("it is not installed")
			}
			test(t, func(t *testing.T) (string, func(time.Duration)) { return startProgram(t, program).url(), nil })
		})
	}
}

// test runs the suites of both seams, each on a server of its own: start returns its URL, and
// lets time pass by its clock.
func test(t *testing.T, start func(t *testing.T) (url string, pass func(time.Duration))) {
	t.Run("Store", func(t *testing.T) {
		t.Parallel()
		url, pass := start(t)
		storetest.TestStore(t, engine(url, pass))
	})
	t.Run("Turns", func(t *testing.T) {
		t.Parallel()
		url, pass := start(t)
		storetest.TestTurns(t, engine(url, pass))
	})
}

// engine returns fleets at one server. Each test has a prefix of its own.
func engine(url string, pass func(time.Duration)) storetest.Engine[*redisfleet.Fleet] {
	var names names
	prefix := make(map[*redisfleet.Fleet]string)
	openWith := func(t *testing.T, name string) *redisfleet.Fleet {
		f := open(t, url, redisfleet.Options{Prefix: name})
		prefix[f] = name
		return f
	}
	return storetest.Engine[*redisfleet.Fleet]{
		Open: func(t *testing.T) *redisfleet.Fleet { return openWith(t, names.next()) },
		Join: func(t *testing.T, f *redisfleet.Fleet) *redisfleet.Fleet { return openWith(t, prefix[f]) },
		Reopen: func(t *testing.T, f *redisfleet.Fleet) *redisfleet.Fleet {
			f.Close()
			return openWith(t, prefix[f])
		},
		Pass: pass,
	}
}
