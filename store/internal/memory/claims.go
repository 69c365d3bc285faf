package memory

import (
	"crypto/rand"
	"time"

	"github.com/go-polite/polite/store"
)

// Claims are those of a [store.Store], by their keys. Its user makes the map and locks it.
type Claims map[string]claim

type claim struct {
	token string
	ends  time.Time
}

func (c claim) over() bool { return !c.ends.After(time.Now()) }

// Take claims a key. If another has claimed it, Take returns the wait.
func (c Claims) Take(key string, lease time.Duration) store.Claim {
	if claimed := c[key]; !claimed.over() {
		return store.Claim{Wait: time.Until(claimed.ends)}
	}
	sweep(c, claim.over, func(key string, _ claim) { delete(c, key) })
	token := rand.Text()
	c[key] = claim{token, time.Now().Add(lease)}
	return store.Claim{Token: token}
}

// Has reports whether token is that of the claim of a key. Delete the key to end the claim.
func (c Claims) Has(key, token string) bool {
	claimed := c[key]
	return token == claimed.token && !claimed.over()
}
