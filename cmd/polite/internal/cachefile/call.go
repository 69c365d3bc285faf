package cachefile

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-polite/polite/store"
)

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
