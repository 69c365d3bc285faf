package redisfleet

import (
	"context"
	"crypto/sha1"
	_ "embed"
	"encoding/hex"

	"github.com/redis/rueidis"
)

var (
	//go:embed scripts/common.lua
	common string
	//go:embed scripts/struct.lua
	structs string
	//go:embed scripts/lane.lua
	lane string
	//go:embed scripts/load.lua
	load string
	//go:embed scripts/record.lua
	record string
	//go:embed scripts/take.lua
	take string
	//go:embed scripts/done.lua
	done string
	//go:embed scripts/renew.lua
	renew string
	//go:embed scripts/hold.lua
	hold string
	//go:embed scripts/tell.lua
	tell string
	//go:embed scripts/replaced.lua
	replaced string
	//go:embed scripts/list.lua
	list string
	//go:embed scripts/beat.lua
	beat string
	//go:embed scripts/claim.lua
	claim string
	//go:embed scripts/put.lua
	put string
	//go:embed scripts/rights.lua
	rights string
)

// A script runs on the server as one step.
type script struct {
	name string
	text string
	sha1 string
	lua  *rueidis.Lua
}

// scripts are all that the server is asked to run.
type scripts struct {
	take, done, renew, hold, tell, list, beat, claim, put, replaced, rights *script
}

func newScripts() scripts {
	script := func(name, text string) *script {
		sum := sha1.Sum([]byte(text))
		return &script{name, text, hex.EncodeToString(sum[:]), rueidis.NewLuaScript(text)}
	}
	return scripts{
		take:  script("take", structs+lane+take),
		done:  script("done", common+structs+lane+load+done),
		renew: script("renew", common+structs+lane+load+renew),
		hold:  script("hold", common+structs+lane+load+hold),
		tell:  script("tell", common+tell),
		list:  script("list", common+list),
		beat:  script("beat", common+beat),
		claim: script("claim", common+record+claim),
		put:   script("put", common+record+put),

		replaced: script("tell", common+replaced),
		rights:   script("rights", rights),
	}
}

// each runs s with each of the arguments, in one round trip, or in two if the server does
// not know s yet.
func (s *script) each(ctx context.Context, c rueidis.Client, calls []rueidis.LuaExec) []rueidis.RedisResult {
	commands := make([]rueidis.Completed, len(calls))
	for i, call := range calls {
		commands[i] = c.B().Evalsha().Sha1(s.sha1).Numkeys(1).Key(call.Keys...).Arg(call.Args...).Build()
	}
	results := c.DoMulti(ctx, commands...)
	var places []int
	commands = commands[:0]
	for i, call := range calls {
		if err, ok := rueidis.IsRedisErr(results[i].Error()); ok && err.IsNoScript() {
			places = append(places, i)
			commands = append(commands, c.B().Eval().Script(s.text).Numkeys(1).Key(call.Keys...).Arg(call.Args...).Build())
		}
	}
	for i, result := range c.DoMulti(ctx, commands...) {
		results[places[i]] = result
	}
	return results
}
