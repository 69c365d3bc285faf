package webbotauth

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// An Identity is who a crawler is: an origin, and the keys that this origin publishes. Its
// fields must not change once it is used. It is safe for concurrent use. Do not copy it.
type Identity struct {
	// Origin is where sites find the keys, such as "https://bot.example.com": https, a host in
	// lower case, and maybe a port. The Identity is the handler for DirectoryPath there.
	Origin string

	// Keys are published until their NotAfter. Of those that may sign now, the one with the
	// latest NotBefore signs.
	Keys []Key

	// Life is how long the signature of a request counts. Zero is a minute, and more than a
	// day is a day (§5.2).
	Life time.Duration

	// Legacy sends Signature-Agent in its earlier form, which some sites still want: a string
	// with the Origin alone. The draft forbids it for new signers (§5.2.1).
	Legacy bool

	init      sync.Once
	err       error  // why the fields are of no use
	host      string // of Origin
	holders   []holder
	directory directory
}

// DirectoryPath is where an origin publishes its keys (§8.1).
const DirectoryPath = "/.well-known/http-message-signatures-directory"

// check returns an error if the fields are of no use.
func (i *Identity) check() error {
	i.init.Do(func() { i.err = i.read() })
	return i.err
}

func (i *Identity) read() error {
	u, err := url.Parse(i.Origin)
	if err != nil || u.Hostname() == "" || i.Origin != "https://"+strings.ToLower(u.Host) || strings.ContainsFunc(i.Origin, isOther) {
		return fmt.Errorf("webbotauth: Identity.Origin is %.100q: write one like https://bot.example.com", i.Origin)
	}
	if len(i.Keys) == 0 {
		return errors.New("webbotauth: Identity.Keys is empty: give it a key")
	}
	i.host = strings.TrimSuffix(u.Host, ":443")
	for _, k := range i.Keys {
		public, err := k.jwk()
		if err != nil {
			return err
		}
		i.holders = append(i.holders, holder{k, public})
	}
	return nil
}

// isOther reports whether r, which net/url lets stand in a host, cannot stand in a structured field as it is
// (RFC 9651 §3.3.3).
func isOther(r rune) bool { return r > '~' || r == '"' }

// signer returns the key that signs now.
func (i *Identity) signer(now time.Time) (found holder, err error) {
	err = errors.New("webbotauth: no key may sign now: Keys need one between its NotBefore and its NotAfter")
	for _, k := range i.holders {
		if k.signs(now) && (err != nil || k.NotBefore.After(found.NotBefore)) {
			found, err = k, nil
		}
	}
	return found, err
}

// life returns how long the signature of a request counts.
func (i *Identity) life() time.Duration {
	if i.Life <= 0 {
		return time.Minute
	}
	return min(i.Life, day)
}

// ServeHTTP serves the directory of keys (§5.5.1). Give the Identity to a server for
// DirectoryPath at Origin. Each key signs the directory, which proves that Origin holds it, and
// did not copy it (appendix B.1). The answer may be cached for a day.
func (i *Identity) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "use GET", http.StatusMethodNotAllowed)
		return
	}
	header, body, err := i.published(time.Now())
	if err != nil {
		http.Error(w, "no keys", http.StatusInternalServerError) // and not why: it is public
		return
	}
	maps.Copy(w.Header(), header)
	if req.Method == http.MethodGet {
		w.Write(body)
	}
}

// published returns the directory.
func (i *Identity) published(now time.Time) (header http.Header, body []byte, err error) {
	if err := i.check(); err != nil {
		return nil, nil, err
	}
	return i.directory.at(now, i.host, i.holders)
}
