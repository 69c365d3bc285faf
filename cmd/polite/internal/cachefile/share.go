package cachefile

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
)

// A shared is the file for all runs of polite on a machine, which so keep one gap at each site. A
// file can be open in one process only. So the first run that opens it owns it, and serves it to
// the others over a socket beside it. When the owner ends, or is killed, the next call of any other
// run opens the file, and that run owns it from then on.
type shared struct {
	name    string
	options boltstore.Options

	mu     sync.Mutex
	now    api // *owner or guest; nil if it is not known
	closed bool
}

// share opens the file of a name, or uses it with the run that has it open. The error is that
// of boltstore.Open. It is boltstore.ErrLocked if the file is open in a process that does not
// share it.
func share(name string, o boltstore.Options) (*shared, error) {
	s := &shared{name: name, options: o}
	now, err := s.reach(context.Background())
	s.now = now
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Close closes the file, or leaves it to the run that has it open.
func (s *shared) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now
	s.now, s.closed = nil, true
	return leave(now)
}

// leave ends the use of an API.
func leave(a api) error {
	switch a := a.(type) {
	case *owner:
		return a.close()
	case guest:
		a.http.CloseIdleConnections()
	}
	return nil
}

// Watch tells nothing. For each request, package polite asks Take instead, which tells how long
// it waits, also because of the breaks of other runs.
func (s *shared) Watch(ctx context.Context, _ func(store.Change)) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// reach returns the owner if there is one, or else opens the file.
func (s *shared) reach(ctx context.Context) (api, error) {
	const pause = 20 * time.Millisecond
	until := time.Now().Add(s.options.Wait)
	for {
		if g, ok := visit(s.socket()); ok {
			return g, nil
		}
		file, err := boltstore.Open(s.name, boltstore.Options{MaxBytes: s.options.MaxBytes})
		if err == nil {
			return serve(file, s.socket()), nil
		}
		if !errors.Is(err, boltstore.ErrLocked) || time.Now().After(until) {
			return nil, err
		}
		select { // the owner has begun and does not serve yet, or is about to end
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (s *shared) socket() string { return s.name + ".sock" }

// visit returns a guest of the owner that serves a socket.
func visit(socket string) (guest, bool) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	conn, err := dial(context.Background(), "", "")
	if err != nil {
		return guest{}, false
	}
	conn.Close()
	return guest{&http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true, IdleConnTimeout: time.Minute}}}, true
}

// An owner has the file open, and serves it.
type owner struct {
	*boltstore.Store
	server *http.Server
	served sync.WaitGroup
}

// serve serves a file. If the system has no such sockets, the others do without.
func serve(file *boltstore.Store, socket string) *owner {
	o := &owner{Store: file}
	os.Remove(socket) // of an owner that was killed: who has the file open is alone
	l, err := net.Listen("unix", socket)
	if err != nil {
		return o
	}
	os.Chmod(socket, 0o600)
	o.server = &http.Server{Handler: handler(file), ReadHeaderTimeout: standstill}
	o.served.Go(func() { o.server.Serve(l) })
	return o
}

// close ends the service first, so that nobody is told that the file is closed.
func (o *owner) close() error {
	if o.server != nil {
		o.server.Close()
		o.served.Wait()
	}
	return o.Store.Close()
}

// with calls do with who has the file. If this one has ended meanwhile, it does so again with
// the next: each call may be repeated.
func with[T any](ctx context.Context, s *shared, do func(api) (T, error)) (none T, err error) {
	for {
		now, err := s.current(ctx)
		if err != nil {
			return none, err
		}
		out, err := do(now)
		if !errors.Is(err, errAway) {
			return out, err
		}
		s.drop(now)
	}
}

// current returns who has the file now.
func (s *shared) current(ctx context.Context) (api, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, os.ErrClosed
	}
	if s.now == nil {
		now, err := s.reach(ctx)
		if err != nil {
			return nil, err
		}
		s.now = now
	}
	return s.now, nil
}

// drop forgets who had the file, unless there is a successor already.
func (s *shared) drop(was api) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == was {
		leave(was)
		s.now = nil
	}
}

// Claim is the method of store.Store.
func (s *shared) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	return with(ctx, s, func(a api) (store.Claim, error) { return a.Claim(ctx, key, seen, lease) })
}

// Put is the method of store.Store.
func (s *shared) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	_, err := with(ctx, s, func(a api) (struct{}, error) { return struct{}{}, a.Put(ctx, key, token, entry, keep) })
	return err
}

// Take is the method of store.Turns.
func (s *shared) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	return with(ctx, s, func(a api) (store.Grant, error) { return a.Take(ctx, lane, ask) })
}

// Done is the method of store.Turns.
func (s *shared) Done(ctx context.Context, lane, token string, unused bool) error {
	_, err := with(ctx, s, func(a api) (struct{}, error) { return struct{}{}, a.Done(ctx, lane, token, unused) })
	return err
}

// Renew is the method of store.Turns.
func (s *shared) Renew(ctx context.Context, lease time.Duration, turns map[string]string) ([]string, error) {
	return with(ctx, s, func(a api) ([]string, error) { return a.Renew(ctx, lease, turns) })
}

// Break is the method of store.Turns.
func (s *shared) Break(ctx context.Context, lane string, wait time.Duration) error {
	_, err := with(ctx, s, func(a api) (struct{}, error) { return struct{}{}, a.Break(ctx, lane, wait) })
	return err
}

// An api is what the owner of a file does for others.
type api interface {
	store.Store
	Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error)
	Done(ctx context.Context, lane, token string, unused bool) error
	Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error)
	Break(ctx context.Context, lane string, wait time.Duration) error
}

// A call is a call of a method, with the arguments that this takes.
type call struct {
	Key, Lane, Token, Seen string
	Entry                  []byte
	HasEntry               bool // an entry may be empty, and is then not nil
	Time                   time.Duration
	Ask                    store.Ask
	Unused                 bool
	Turns                  map[string]string
}

// A reply is what a call returns.
type reply struct {
	Claim store.Claim
	Has   bool // Claim.Entry may be empty, and is then not nil
	Grant store.Grant
	Lost  []string
	Err   string
	IsOut bool // the error is store.ErrLost
}

// methods are what the owner serves, by their names.
func methods(a api) map[string]func(context.Context, call) (reply, error) {
	return map[string]func(context.Context, call) (reply, error){
		"claim": func(ctx context.Context, c call) (reply, error) {
			claim, err := a.Claim(ctx, c.Key, c.Seen, c.Time)
			return reply{Claim: claim, Has: claim.Entry != nil}, err
		},
		"put": func(ctx context.Context, c call) (reply, error) {
			entry := c.Entry
			if c.HasEntry && entry == nil {
				entry = []byte{}
			}
			return reply{}, a.Put(ctx, c.Key, c.Token, entry, c.Time)
		},
		"take": func(ctx context.Context, c call) (reply, error) {
			grant, err := a.Take(ctx, c.Lane, c.Ask)
			return reply{Grant: grant}, err
		},
		"done": func(ctx context.Context, c call) (reply, error) {
			return reply{}, a.Done(ctx, c.Lane, c.Token, c.Unused)
		},
		"renew": func(ctx context.Context, c call) (reply, error) {
			lost, err := a.Renew(ctx, c.Time, c.Turns)
			return reply{Lost: lost}, err
		},
		"break": func(ctx context.Context, c call) (reply, error) {
			return reply{}, a.Break(ctx, c.Lane, c.Time)
		},
	}
}

// mostOctets is more than any call takes.
const mostOctets = 8 << 20

// handler serves an API to other processes of the user.
func handler(a api) http.Handler {
	mux := http.NewServeMux()
	for name, do := range methods(a) {
		mux.HandleFunc("POST /"+name, func(w http.ResponseWriter, r *http.Request) {
			var c call
			if err := gob.NewDecoder(io.LimitReader(r.Body, mostOctets)).Decode(&c); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			out, err := do(r.Context(), c)
			if err != nil {
				out.Err, out.IsOut = err.Error(), errors.Is(err, store.ErrLost)
			}
			gob.NewEncoder(w).Encode(out)
		})
	}
	return mux
}

// errAway is the error of a call if there is no owner any more.
var errAway = errors.New("the run that has the file has ended")

// standstill is how long a call waits for an owner that stands still.
const standstill = 5 * time.Second

// A guest calls the owner of a file.
type guest struct{ http *http.Client }

// do calls a method of the owner.
func (g guest) do(ctx context.Context, method string, c call) (reply, error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(c); err != nil { // which keeps all octets of a key, as JSON does not
		return reply{}, err
	}
	within, cancel := context.WithTimeout(ctx, standstill)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodPost, "http://owner/"+method, &body)
	if err != nil {
		return reply{}, err
	}
	var out reply
	resp, err := g.http.Do(req)
	if err == nil {
		defer resp.Body.Close()
		err = gob.NewDecoder(resp.Body).Decode(&out)
	}
	switch {
	case err == nil && resp.StatusCode != http.StatusOK:
		return reply{}, fmt.Errorf("the run that has the file answers %s", resp.Status)
	case err == nil:
		return out, out.err()
	case ctx.Err() != nil:
		return reply{}, context.Cause(ctx)
	case within.Err() != nil:
		return reply{}, errors.New("the run that has the file does not answer")
	default:
		return reply{}, errAway
	}
}

func (a reply) err() error {
	switch {
	case a.IsOut:
		return store.ErrLost
	case a.Err != "":
		return errors.New(a.Err)
	default:
		return nil
	}
}

func (g guest) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	out, err := g.do(ctx, "claim", call{Key: key, Seen: seen, Time: lease})
	if out.Has && out.Claim.Entry == nil {
		out.Claim.Entry = []byte{}
	}
	return out.Claim, err
}

func (g guest) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	_, err := g.do(ctx, "put", call{Key: key, Token: token, Entry: entry, HasEntry: entry != nil, Time: keep})
	return err
}

func (g guest) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	out, err := g.do(ctx, "take", call{Lane: lane, Ask: ask})
	return out.Grant, err
}

func (g guest) Done(ctx context.Context, lane, token string, unused bool) error {
	_, err := g.do(ctx, "done", call{Lane: lane, Token: token, Unused: unused})
	return err
}

func (g guest) Renew(ctx context.Context, lease time.Duration, turns map[string]string) ([]string, error) {
	out, err := g.do(ctx, "renew", call{Time: lease, Turns: turns})
	return out.Lost, err
}

func (g guest) Break(ctx context.Context, lane string, wait time.Duration) error {
	_, err := g.do(ctx, "break", call{Lane: lane, Time: wait})
	return err
}
