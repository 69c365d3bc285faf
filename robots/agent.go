package robots

import (
	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// An agent is one product token that a group names.
type agent struct {
	token   match.Span
	key     key
	group   int32
	section match.Section // the group's rules
	delay   syntax.Delay
}

// noGroup stands for the group of a line before the first user-agent line.
const noGroup = -1

// A key is the length of a product token and some of its characters: it tells most
// tokens apart. The characters have the bit 0x20, so that case makes no difference.
type key uint32

// everyone is the key of "*". No key is less.
const everyone key = 1<<24 | '*'<<16 | '*'<<8 | '*'

func keyOf(token string) key {
	n := len(token)
	if n == 0 {
		return 0
	}
	return key(min(n, 0xFF))<<24 | key(token[0])<<16 | key(token[n/2])<<8 | key(token[n-1]) | 0x202020
}
