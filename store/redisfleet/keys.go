package redisfleet

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// keys are the names of all that a Fleet keeps. A name from outside is hashed: it may be
// long, and braces in it would choose the slot of a cluster.
type keys struct{ prefix string }

func (k keys) check() error {
	if k.prefix == "" {
		return fmt.Errorf("redisfleet: Options.Prefix is empty: choose one for this crawler, such as polite:examplebot")
	}
	if strings.ContainsAny(k.prefix, "{}*?[]\\ \t\r\n\x00") {
		return fmt.Errorf("redisfleet: Options.Prefix %q contains a character with a meaning of its own: use letters, digits and colons", k.prefix)
	}
	return nil
}

func (k keys) lane(name string) string { return k.prefix + ":t:" + hashed(name) }
func (k keys) entry(key string) string { return k.prefix + ":e:" + hashed(key) }

// lanes and entries return patterns that all keys of their kind match, and others hardly.
func (k keys) lanes() string   { return k.prefix + ":t:" + anyHash }
func (k keys) entries() string { return k.prefix + ":e:" + anyHash }

// index returns the keys of the breaks and of the generation. A script needs both, so
// they are in one slot.
func (k keys) index() []string {
	return []string{k.prefix + ":{breaks}", k.prefix + ":{breaks}:generation"}
}

// lessons returns the key of the lessons of lanes. The generation is in the same slot.
func (k keys) lessons() string { return k.prefix + ":{breaks}:lessons" }

// profiles returns the key of the profiles that processes have told of late.
func (k keys) profiles() string { return k.prefix + ":{breaks}:profiles" }

// process returns the key of what a process tells of itself, and processes a pattern of all.
func (k keys) process(id string) string { return k.prefix + ":{breaks}:process:" + id }
func (k keys) processes() string        { return k.process(strings.Repeat("?", 26)) }

// layout says how lanes and entries are written. It changes with each version of this
// module that reads them otherwise: two such versions must not share a prefix.
const layout = "3"

func (k keys) otherLayout(theirs string) error {
	return fault("layout", fmt.Errorf("redisfleet: another version of this module uses the prefix %s: it keeps its data in layout %s, and this one in layout %s: use another Prefix, or end all processes of the other version and delete the key %s",
		k.prefix, theirs, layout, k.index()[1]))
}

// The channels are in the slot of the index, too.
func (k keys) news() string           { return k.prefix + ":{breaks}:news" }
func (k keys) beats(me string) string { return k.prefix + ":{breaks}:beat:" + me }

// hashed returns what stands for a name. Whoever chooses names can make two of them alike, but none
// like that of another.
func hashed(name string) string {
	sum := sha256.Sum256([]byte(name))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// anyHash is a pattern of a hash. In Redis, a hyphen stands for itself where it comes first.
var anyHash = strings.Repeat("[-A-Za-z0-9_]", 16)

// A lane's name is kept after a tag, so no start looks like it. Most lanes are of an origin of https: of
// its name, the host is enough.
const (
	anyTag           = '='
	hostTag          = '~'
	ofHost, portHost = "origin https://", ":443"
)

// tagged returns a lane's name as the scripts keep it.
func tagged(lane string) string {
	host, ok := strings.CutPrefix(lane, ofHost)
	if host, is443 := strings.CutSuffix(host, portHost); ok && is443 {
		return string(hostTag) + host
	}
	return string(anyTag) + lane
}

// untagged returns the name that is kept so, if it is one.
func untagged(text string) (lane string, ok bool) {
	switch {
	case text == "":
		return "", false
	case text[0] == hostTag:
		return ofHost + text[1:] + portHost, true
	}
	return text[1:], text[0] == anyTag
}

// short returns eight bytes that stand for a token.
func short(token string) string {
	sum := sha256.Sum256([]byte(token))
	return string(sum[:8])
}
