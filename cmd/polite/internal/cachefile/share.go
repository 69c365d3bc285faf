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
	now    holder // nil if it is not known
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
	if now == nil {
		return nil
	}
	return now.close()
}

// Watch tells nothing. For each request, package polite asks Take instead, which tells how long
// it waits, also because of the breaks of other runs.
func (s *shared) Watch(ctx context.Context, _ func(store.Change)) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// reach returns the owner if there is one, or else opens the file.
func (s *shared) reach(ctx context.Context) (holder, error) {
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

// A holder does calls: the owner of the file, or a guest of its owner.
type holder interface {
	do(context.Context, call) (reply, error)
	close() error
}

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
	o.server = &http.Server{Handler: o, ReadHeaderTimeout: standstill}
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

// do does a call by who has the file. If this one has ended meanwhile, the next does it again: each call
// may be repeated.
func (s *shared) do(ctx context.Context, c call) (reply, error) {
	for {
		now, err := s.current(ctx)
		if err != nil {
			return reply{}, err
		}
		out, err := now.do(ctx, c)
		if !errors.Is(err, errAway) {
			return out, err
		}
		s.drop(now)
	}
}

// current returns who has the file now.
func (s *shared) current(ctx context.Context) (holder, error) {
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
func (s *shared) drop(was holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == was {
		was.close()
		s.now = nil
	}
}

// Claim is the method of store.Store.
func (s *shared) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	out, err := s.do(ctx, call{Method: "claim", Key: key, Seen: seen, Time: lease})
	out.Claim.Entry = entryIf(out.Has, out.Claim.Entry)
	return out.Claim, err
}

// Put is the method of store.Store.
func (s *shared) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	_, err := s.do(ctx, call{Method: "put", Key: key, Token: token, Entry: entry, HasEntry: entry != nil, Time: keep})
	return err
}

// Take is the method of store.Turns.
func (s *shared) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	out, err := s.do(ctx, call{Method: "take", Key: lane, Ask: ask})
	return out.Grant, err
}

// Done is the method of store.Turns.
func (s *shared) Done(ctx context.Context, lane, token string, unused bool) error {
	_, err := s.do(ctx, call{Method: "done", Key: lane, Token: token, Unused: unused})
	return err
}

// Renew is the method of store.Turns.
func (s *shared) Renew(ctx context.Context, lease time.Duration, turns map[string]string) ([]string, error) {
	out, err := s.do(ctx, call{Method: "renew", Time: lease, Turns: turns})
	return out.Lost, err
}

// Break is the method of store.Turns.
func (s *shared) Break(ctx context.Context, lane string, wait time.Duration) error {
	_, err := s.do(ctx, call{Method: "break", Key: lane, Time: wait})
	return err
}

// A call is a call of a method, with the arguments that this takes.
type call struct {
	Method           string
	Key, Token, Seen string // Key may be that of a lane
	Entry            []byte
	HasEntry         bool // an entry may be empty, and is then not nil
	Time             time.Duration
	Ask              store.Ask
	Unused           bool
	Turns            map[string]string
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

// entryIf returns an entry that is nil only if there is none: on its way, an empty one becomes nil.
func entryIf(has bool, entry []byte) []byte {
	if has && entry == nil {
		return []byte{}
	}
	return entry
}

// do does a call by the file.
func (o *owner) do(ctx context.Context, c call) (out reply, err error) {
	switch c.Method {
	case "claim":
		out.Claim, err = o.Claim(ctx, c.Key, c.Seen, c.Time)
		out.Has = out.Claim.Entry != nil
	case "put":
		err = o.Put(ctx, c.Key, c.Token, entryIf(c.HasEntry, c.Entry), c.Time)
	case "take":
		out.Grant, err = o.Take(ctx, c.Key, c.Ask)
	case "done":
		err = o.Done(ctx, c.Key, c.Token, c.Unused)
	case "renew":
		out.Lost, err = o.Renew(ctx, c.Time, c.Turns)
	case "break":
		err = o.Break(ctx, c.Key, c.Time)
	default:
		err = fmt.Errorf("the run that has the file knows no %q", c.Method)
	}
	return out, err
}

// mostOctets is more than any call takes.
const mostOctets = 8 << 20

// ServeHTTP does the call of another process of the user.
func (o *owner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var c call
	var out reply
	err := gob.NewDecoder(io.LimitReader(r.Body, mostOctets)).Decode(&c)
	if err == nil {
		out, err = o.do(r.Context(), c)
	}
	if err != nil {
		out.Err, out.IsOut = err.Error(), errors.Is(err, store.ErrLost)
	}
	gob.NewEncoder(w).Encode(out)
}

// errAway is the error of a call if there is no owner any more.
var errAway = errors.New("the run that has the file has ended")

// standstill is how long a call waits for an owner that stands still.
const standstill = 5 * time.Second

// A guest calls the owner of a file.
type guest struct{ http *http.Client }

func (g guest) close() error {
	g.http.CloseIdleConnections()
	return nil
}

// do lets the owner do a call.
func (g guest) do(ctx context.Context, c call) (reply, error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(c); err != nil { // which keeps all octets of a key, as JSON does not
		return reply{}, err
	}
	within, cancel := context.WithTimeout(ctx, standstill)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodPost, "http://owner/", &body)
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
	case err == nil && out.IsOut:
		return out, store.ErrLost
	case err == nil && out.Err != "":
		return out, errors.New(out.Err)
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return reply{}, context.Cause(ctx)
	case within.Err() != nil:
		return reply{}, errors.New("the run that has the file does not answer")
	default:
		return reply{}, errAway
	}
}
