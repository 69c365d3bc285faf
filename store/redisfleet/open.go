package redisfleet

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// Open connects to a server and checks that it fits. The URL is redis://, rediss:// for
// TLS, or unix://, with the user and the password; more than one server is given by addr
// parameters, and Sentinel by master_set:
//
//	rediss://crawler:secret@redis.example.org:6379
//	redis://node1:6379?addr=node2:6379&addr=node3:6379
//	redis://sentinel1:26379?addr=sentinel2:26379&master_set=crawl
//
// In a password, write special characters as [url.UserPassword] does. The sentinels must
// take no password, or use New. With TLS, all servers must show a certificate for the host
// of the URL. Options.TLS says otherwise.
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
	d := &dialer{dial: option.DialCtxFn, changed: func() { f.changed(0) }, alive: alive}
	option.DialCtxFn = d.connect
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

// begin checks the server.
func (f *Fleet) begin(ctx context.Context) error {
	cluster, err := check(ctx, f.client)
	if err != nil {
		return err
	}
	f.pubsub = pubsubOf(cluster)
	if err := f.mayAll(ctx); err != nil {
		return err
	}
	return f.beat(ctx, f.keys.beats("none"), "0")
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

// Close ends all Watches. If Open has made the client, Close closes it, and waits up to 5
// seconds for calls that are under way. Calls then fail. Reservations and
// claims stay in the server.
func (f *Fleet) Close() {
	f.mu.Lock()
	first := !f.isClosed()
	if first {
		close(f.closed)
	}
	f.mu.Unlock()
	if first && f.owned {
		late := time.AfterFunc(longestCall, f.end)
		f.client.Close() // waits for the calls that are under way
		late.Stop()
		f.end()
	}
	f.work.Wait()
}
