package redisfleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"
)

// check checks that each node fits, and reports whether they are a cluster. A server that
// does not know INFO's sections, as doubles do not, is not checked.
func check(ctx context.Context, client rueidis.Client) (cluster bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	for address, node := range client.Nodes() {
		info, err := facts(ctx, node, "server", "memory")
		if err != nil {
			return false, explain("check "+address, err)
		}
		if err := fits(info); err != nil {
			return false, fmt.Errorf("redisfleet: the server at %s %w", address, err)
		}
		cluster = cluster || mode(info) == "cluster"
	}
	return cluster, nil
}

// mode returns how a server runs: standalone, cluster or sentinel.
func mode(info map[string]string) string { return cmp.Or(info["redis_mode"], info["server_mode"]) }

// facts returns what INFO says in some of its sections.
func facts(ctx context.Context, node rueidis.Client, sections ...string) (map[string]string, error) {
	info := make(map[string]string)
	for _, section := range sections {
		text, err := node.Do(ctx, node.B().Info().Section(section).Build()).ToString()
		if _, refused := rueidis.IsRedisErr(err); err != nil && (!refused || said(err, "NOPERM") || away(err) || said(err, "NOAUTH")) {
			return nil, err
		}
		for line := range strings.Lines(text) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
				info[name] = value
			}
		}
	}
	return info, nil
}

// fits says why a server does not fit.
func fits(info map[string]string) error {
	if mode(info) == "sentinel" {
		return errors.New("is a sentinel: add its master_set to the URL")
	}
	name, version, least := "Redis", info["redis_version"], 7
	if v := info["valkey_version"]; v != "" {
		name, version, least = "Valkey", v, 8
	}
	number, _, _ := strings.Cut(version, ".")
	if major, err := strconv.Atoi(number); err == nil && major < least {
		return fmt.Errorf("is %s %s: %s %d or later is needed", name, version, name, least)
	}
	if info["arch_bits"] == "32" {
		return errors.New("is a 32-bit build: scripts cannot count microseconds there")
	}
	return keeps(info)
}

// troubleOf says why a server takes no turns, by what INFO says. Whether it has enough replicas is known only if
// it has none.
func troubleOf(info map[string]string) error {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(info[name], 10, 64)
		return n
	}
	most := number("maxmemory")
	switch err := fits(info); {
	case err != nil:
		return err
	case info["role"] == "slave" && mode(info) == "standalone":
		return doAbout("READONLY")
	case most > 0 && number("used_memory")-number("mem_not_counted_for_evict") > most:
		return doAbout("OOM")
	case info["min_slaves_good_slaves"] == "0":
		return doAbout("NOREPLICAS")
	case info["rdb_last_bgsave_status"] == "err", info["aof_last_write_status"] == "err":
		return doAbout("MISCONF")
	}
	return nil
}

// keeps says why a server does not keep all keys.
func keeps(info map[string]string) error {
	if policy := info["maxmemory_policy"]; policy != "" && policy != "noeviction" {
		return fault("eviction", fmt.Errorf("deletes keys when its memory is full (maxmemory-policy %s), and so forgets turns: set it to noeviction", policy))
	}
	return nil
}

// A fitness is whether the server still fits, as far as is known: whoever operates it may
// change it while processes run.
type fitness struct {
	mu     sync.Mutex
	layout error     // another layout is there
	evicts error     // the server deletes keys when its memory is full
	next   time.Time // when to look again
}

// lookEvery is how often to look whether the server still fits, and lookAgain whether one that
// does not fit does so again.
const (
	lookEvery = 4 * time.Second
	lookAgain = time.Second
)

// why returns why the server does not fit, or nil.
func (f *fitness) why() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return cmp.Or(f.layout, f.evicts)
}

// note notes in one of the fields why the server does not fit, or nil. It reports whether the server fits again.
func (f *fitness) note(field *error, why error) (again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := cmp.Or(f.layout, f.evicts)
	*field = why
	return before != nil && cmp.Or(f.layout, f.evicts) == nil
}

// isDue reports whether it is time to look. If so, the next time is some time away.
func (f *fitness) isDue() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if now.Before(f.next) {
		return false
	}
	f.next = now.Add(lookEvery)
	if f.layout != nil || f.evicts != nil {
		f.next = now.Add(lookAgain)
	}
	return true
}

// fit returns why turns must not go on, or nil. If the server does not fit, it looks once a
// second whether it does again.
func (f *Fleet) fit(ctx context.Context) error {
	if f.client == nil {
		return errZero
	}
	if f.fitness.why() == nil {
		return nil
	}
	if f.fitness.isDue() {
		f.beat(ctx, f.keys.beats("none"), "0") // it notes the layout
		f.look(ctx)
	}
	return f.fitness.why()
}

// look looks whether the server deletes keys by now. If a node does not answer, it says
// nothing: a turn there fails, too. What was deleted meanwhile counts as lost.
func (f *Fleet) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	for address, node := range f.client.Nodes() {
		info, err := facts(ctx, node, "memory")
		if err != nil {
			return
		}
		if err := keeps(info); err != nil {
			f.fitness.note(&f.fitness.evicts, fmt.Errorf("redisfleet: the server at %s %w", address, err))
			return
		}
	}
	if f.fitness.note(&f.fitness.evicts, nil) {
		f.changed(0)
	}
}
