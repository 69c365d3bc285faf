package redisfleet

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// Options says how a [Fleet] works.
type Options struct {
	// Prefix begins all keys and channels, as in "polite:examplebot". Processes with the
	// same Prefix take turns together and share their answers. Give each crawler a
	// Prefix of its own, unless sites shall see several as one. It must not be empty.
	Prefix string

	// Alone lets a process go on alone while the server is away, at 1/Alone of the
	// rate: set it to how many processes there are. This keeps the mean rate of the
	// fleet, but not the gaps. Each process has a whole share of the slots of a lane. If
	// there are fewer slots than processes, turns in this lane fail while the server is
	// away. If Alone is zero, all turns do.
	Alone int

	// Name is how this process is called to those who look at the fleet: see
	// [Viewer.Processes]. If it is empty, it is the name of the machine and the ID of the
	// process.
	Name string

	// TLS is how Open connects, also if the URL begins with redis://. Set it if the
	// server's certificate is by an authority of your own (RootCAs), or if the server
	// wants a certificate of its clients. If it is nil, the URL decides. New does not
	// use it.
	TLS *tls.Config

	// Credentials returns the user and the password, and Open asks it for each connection:
	// so a password can change without a restart. Those of the URL do not count then. The
	// user may be empty: then it is the default one. Several goroutines call Credentials at
	// the same time. It should return when ctx ends, which is after 5 seconds at the latest.
	// With master_set, the sentinels get the user and the password, too. If Credentials is
	// nil, the URL decides. New does not use it.
	Credentials func(ctx context.Context) (user, password string, err error)
}

// Open connects to a server and checks that it fits. The URL is redis://, rediss:// for
// TLS, or unix://, with the user and the password; more than one server is given by addr
// parameters, and Sentinel by master_set:
//
//	rediss://crawler:secret@redis.example.org:6379
//	redis://node1:6379?addr=node2:6379&addr=node3:6379
//	redis://sentinel1:26379?addr=sentinel2:26379&master_set=crawl
//
// In a password, write special characters as [url.UserPassword] does. If it changes at
// times, set Options.Credentials instead. The sentinels must
// take no password, or use New. With TLS, all servers must show a certificate for the host
// of the URL. Options.TLS says otherwise.
//
// If the server has nothing of the fleet, Open waits for a quarter of a second: it may have lost a
// break, of which other processes tell it again.
//
// The error says what to change. Close the Fleet after use.
func Open(ctx context.Context, url string, o Options) (*Fleet, error) {
	option, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	f, err := newFleet(o)
	if err != nil {
		return nil, err
	}
	if o.TLS != nil {
		option.TLSConfig = o.TLS.Clone()
	}
	option.DisableCache = true
	option.AlwaysPipelining = true                      // or a call whose time is over closes the connection
	option.PipelineMultiplex = -1                       // one connection to a node, so calls keep their order
	option.MaxFlushDelay = 20 * time.Microsecond        // so calls of many requests go together
	option.ClientSetInfo = rueidis.DisableClientSetInfo // Redis 7.0 has no right for it
	if option.ConnWriteTimeout == 0 {
		option.ConnWriteTimeout = longestCall
	}
	alive, end := context.WithCancel(context.Background())
	defer context.AfterFunc(ctx, end)()
	d := &dialer{dial: option.DialCtxFn, changed: f.cut, alive: alive}
	option.DialCtxFn = d.connect
	if o.Credentials != nil {
		option.AuthCredentialsFn = credentials(alive, o.Credentials)
	}
	if f.client, err = rueidis.NewClient(option); err != nil {
		return nil, explain("connect", cmp.Or(ctx.Err(), err))
	}
	f.owned, f.end = true, end
	if err := f.begin(ctx); err != nil {
		f.Close()
		return nil, err
	}
	d.begin()
	return f, nil
}

// New uses a client that is connected. It checks that the server fits. Close does not
// close the client.
//
// New notices a lost connection, or another primary, only when a call or Watch fails. With
// Open, a Fleet notices it at once.
func New(ctx context.Context, client rueidis.Client, o Options) (*Fleet, error) {
	f, err := newFleet(o)
	if err != nil {
		return nil, err
	}
	f.client = client
	if err := f.begin(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

func newFleet(o Options) (*Fleet, error) {
	f := &Fleet{keys: keys{o.Prefix}, name: nameOf(o.Name), closed: make(chan struct{})}
	f.clock.born = time.Now()
	if o.Alone > 0 {
		f.alone = &alone{share: o.Alone}
	}
	return f, f.keys.check()
}

// begin checks the server.
func (f *Fleet) begin(ctx context.Context) error {
	cluster, err := check(ctx, f.client)
	if err != nil {
		return err
	}
	f.scripts, f.pubsub = newScripts(cluster), pubsubOf(cluster)
	f.server.Store(f.identity(ctx))
	if err := f.mayAll(ctx); err != nil {
		return err
	}
	if err := f.beat(ctx, f.keys.beats("none"), "0"); err != nil {
		return err
	}
	return f.settle(ctx)
}

// retold is how long it takes until breaks that the server has lost are told again.
const retold = 250 * time.Millisecond

// settle waits if the server had nothing of the fleet: it may have lost it just now, and other processes
// tell it again what breaks there are.
func (f *Fleet) settle(ctx context.Context) error {
	if now := f.known.Load(); now == nil || !now.made {
		return nil
	}
	select {
	case <-ctx.Done():
		return explain("open", ctx.Err())
	case <-time.After(retold):
		return nil
	}
}

// mayAll checks that the user has all rights.
func (f *Fleet) mayAll(ctx context.Context) error {
	reply, err := f.run(ctx, f.scripts.rights, f.keys.index()[:1], f.keys.news(), f.pubsub.publish, f.pubsub.subscribe, f.pubsub.unsubscribe)
	if err != nil || len(reply) == 0 {
		return err
	}
	var missing []string
	for _, command := range reply {
		name, _ := command.ToString()
		missing = append(missing, name)
	}
	return fmt.Errorf("redisfleet: the user lacks a right: to call %s with the keys and channels %s:*", strings.Join(missing, ", "), f.keys.prefix)
}

// Close ends all Watches, and calls then fail. If Open has made the client, Close closes it, and waits up to 5
// seconds for calls that are under way. Reservations and claims stay in the server.
func (f *Fleet) Close() {
	f.mu.Lock()
	first := f.closed != nil && !f.isClosed()
	if first {
		close(f.closed)
	}
	f.mu.Unlock()
	if first {
		f.forget(f.roster.all()...)
	}
	if first && f.owned {
		late := time.AfterFunc(longestCall, f.end)
		f.client.Close() // waits for the calls that are under way
		late.Stop()
		f.end()
	}
	f.work.Wait()
}

// parameters are those that a URL may have.
var parameters = []string{
	"addr", "client_cache", "client_name", "db", "dial_timeout", "master_set",
	"max_retries", "protocol", "skip_verify", "write_timeout",
}

// parseURL returns what a URL says. Its errors do not tell the password, nor what may be
// a part of it.
func parseURL(text string) (rueidis.ClientOption, error) {
	u, err := url.Parse(text)
	switch {
	case err == nil && !slices.Contains([]string{"redis", "rediss", "valkey", "valkeys", "unix"}, u.Scheme),
		err != nil && !strings.Contains(text, "://"):
		return rueidis.ClientOption{}, errors.New("redisfleet: the URL: begin it with redis://, rediss:// or unix://")
	case err != nil || u.Fragment != "" || strings.Contains(u.RawQuery, "@") || u.Scheme != "unix" && strings.Contains(u.Path, "@"):
		return rueidis.ClientOption{}, errors.New("redisfleet: the URL cannot be read: if the user or the password contains special characters, write them as url.UserPassword does, such as %23 for #")
	case u.Scheme == "unix" && u.Path == "":
		return rueidis.ClientOption{}, errors.New("redisfleet: the URL: write the path of the socket, such as unix:///run/redis.sock")
	}
	for name := range u.Query() {
		if !slices.Contains(parameters, name) {
			return rueidis.ClientOption{}, fmt.Errorf("redisfleet: the URL: there is no parameter %q, but %s", name, strings.Join(parameters, ", "))
		}
	}
	option, err := rueidis.ParseURL(text)
	if err != nil {
		return option, fmt.Errorf("redisfleet: the URL: %s", strings.TrimPrefix(err.Error(), "redis: "))
	}
	return option, nil
}
