package redisfleet

import (
	"embed"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

//go:embed scripts
var files embed.FS

// A script runs on the server as one step.
type script struct {
	name string
	lua  *rueidis.Lua
}

// newScript returns the script of some files, one after the other. Errors have its name.
func newScript(name, parts string, first ...string) *script {
	var text strings.Builder
	text.WriteString(strings.Join(first, ""))
	for part := range strings.FieldsSeq(parts) {
		file, err := files.ReadFile("scripts/" + part + ".lua")
		if err != nil {
			panic(err) // each New calls all of these, so a test finds it
		}
		text.Write(file)
	}
	return &script{name, rueidis.NewLuaScript(text.String())}
}

// scripts are all that the server is asked to run.
type scripts struct {
	take, done, renew, breaks, tell, teach, list, beat, claim, put, replaced, rights *script
}

func newScripts(cluster bool) scripts {
	where := fmt.Sprintf("local cluster = %v\n", cluster)
	return scripts{
		take:     newScript("take", "struct lane queue take", where),
		done:     newScript("done", "common struct lane queue load done", where),
		renew:    newScript("renew", "common struct lane load renew"),
		breaks:   newScript("break", "common struct lane load break"),
		tell:     newScript("tell", "common tell"),
		teach:    newScript("teach", "common teach"),
		list:     newScript("list", "common list"),
		beat:     newScript("beat", "common beat"),
		claim:    newScript("claim", "common entry claim"),
		put:      newScript("put", "common entry put"),
		replaced: newScript("tell", "common replaced"),
		rights:   newScript("rights", "rights"),
	}
}

// A pubsub is the commands that tell and hear news. In a cluster, they are the sharded ones:
// their messages stay on the node that keeps the breaks, and do not go to all nodes.
type pubsub struct{ publish, subscribe, unsubscribe string }

func pubsubOf(cluster bool) pubsub {
	if cluster {
		return pubsub{"SPUBLISH", "SSUBSCRIBE", "SUNSUBSCRIBE"}
	}
	return pubsub{"PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE"}
}

// to returns the command that subscribes to channels.
func (p pubsub) to(b rueidis.Builder, channels ...string) rueidis.Completed {
	if p.subscribe == "SSUBSCRIBE" {
		return b.Ssubscribe().Channel(channels...).Build()
	}
	return b.Subscribe().Channel(channels...).Build()
}

const (
	day    = 24 * time.Hour
	month  = 30 * day  // the longest gap
	far    = 2 * month // no start is further away
	always = 10 * 365 * day
)

// whole returns d in whole microseconds, rounded up, of zero to most.
func whole(d, most time.Duration) int64 {
	d = min(max(d, 0), most)
	return int64((d + time.Microsecond - 1) / time.Microsecond)
}

// micros returns d as the scripts want it.
func micros(d, most time.Duration) string { return strconv.FormatInt(whole(d, most), 10) }

// bytes appends d, of up to most, as a lane has its numbers.
func bytes(to []byte, d, most time.Duration) []byte {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(whole(d, most)))
	return append(to, n[1:]...)
}

// numberSize is how many bytes a number has in a lane, and in the answer to a turn.
const numberSize = 7

// numberAt returns the number with which a text begins.
func numberAt(text string) (n int64) {
	for _, b := range []byte(text[:numberSize]) {
		n = n<<8 | int64(b)
	}
	return n
}

// atMost returns a limit as the scripts want it, rounded down.
func atMost(d time.Duration) string {
	if d <= 0 || d > always {
		d = always
	}
	return strconv.FormatInt(int64(d/time.Microsecond), 10)
}

// duration returns what a script says, as long as it makes sense.
func duration(micros int64) time.Duration {
	const most = int64(always / time.Microsecond)
	return time.Duration(min(max(micros, -most), most)) * time.Microsecond
}

// flag returns b as the scripts want it.
func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
