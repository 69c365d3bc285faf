package redisfleet_test

import (
	"os/exec"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/storetest"
)

func TestDouble(t *testing.T) {
	double := startDouble(t)
	test(t, double.url(), double.pass)
}

func TestServer(t *testing.T) {
	for _, program := range programs {
		t.Run(program, func(t *testing.T) {
			if _, err := exec.LookPath(program); err != nil {
				t.Skip("it is not installed")
			}
			test(t, startProgram(t, program).url(), nil)
		})
	}
}

// test runs the suites of both seams. Each test has a prefix of its own.
func test(t *testing.T, url string, pass func(time.Duration)) {
	var names names
	prefix := make(map[*redisfleet.Fleet]string)
	openWith := func(t *testing.T, name string) *redisfleet.Fleet {
		f := open(t, url, redisfleet.Options{Prefix: name})
		prefix[f] = name
		return f
	}
	engine := storetest.Engine[*redisfleet.Fleet]{
		Open: func(t *testing.T) *redisfleet.Fleet { return openWith(t, names.next()) },
		Join: func(t *testing.T, f *redisfleet.Fleet) *redisfleet.Fleet { return openWith(t, prefix[f]) },
		Reopen: func(t *testing.T, f *redisfleet.Fleet) *redisfleet.Fleet {
			f.Close()
			return openWith(t, prefix[f])
		},
		Pass: pass,
	}
	t.Run("Store", func(t *testing.T) { storetest.TestStore(t, engine) })
	t.Run("Turns", func(t *testing.T) { storetest.TestTurns(t, engine) })
}
