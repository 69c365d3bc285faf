package redisfleet

import (
	"embed"
	"strings"

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
func newScript(name, parts string) *script {
	var text strings.Builder
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

func newScripts() scripts {
	return scripts{
		take:     newScript("take", "struct lane take"),
		done:     newScript("done", "common struct lane load done"),
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
