package webbotauth

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A directory is the answer with the keys. It is made once an hour, and when a key is over,
// however often sites ask: each key signs it.
type directory struct {
	mu          sync.Mutex
	made, until time.Time
	header      http.Header
	body        []byte
}

const (
	remake = time.Hour

	// proof is how long the signatures of the directory count. It is longer than sites may keep
	// the directory, and longer than between two lists of keys that others publish (appendix C).
	proof = 7 * day
)

// at returns the directory of the keys that host holds at now. Nobody changes it.
func (d *directory) at(now time.Time, host string, all []holder) (header http.Header, body []byte, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Before(d.made) || !now.Before(d.until) {
		err = d.remake(now, host, all)
	}
	return d.header, d.body, err
}

// remake makes the directory of the keys that are not over.
func (d *directory) remake(now time.Time, host string, all []holder) error {
	list := struct {
		Keys []jwk `json:"keys"`
	}{[]jwk{}}
	var holders []holder
	until := now.Add(remake)
	for _, k := range all {
		if !k.isOver(now) {
			list.Keys, holders = append(list.Keys, k.public), append(holders, k)
			until = k.until(now, until.Sub(now))
		}
	}
	body, err := json.Marshal(list)
	if err != nil {
		return err
	}
	header, err := signedBy(holders, now, host, body)
	if err == nil {
		d.made, d.until, d.header, d.body = now, until, header, body
	}
	return err
}

// signedBy returns the header of a directory, with a signature by each holder.
func signedBy(holders []holder, now time.Time, host string, body []byte) (http.Header, error) {
	sum := sha256.Sum256(body)
	digest := "sha-256=" + binary(sum[:]) // RFC 9530 §2
	header := make(http.Header)
	header.Set("Content-Type", "application/http-message-signatures-directory+json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Cache-Control", fmt.Sprintf("max-age=%d", int(day.Seconds())))
	header.Set("Content-Digest", digest)
	var inputs, signatures []string
	for n, k := range holders {
		covered := []component{{`"@authority";req`, host}, {`"content-digest"`, digest}}
		input, signature, err := k.seal(covered, proofOf(k.public.ID, now, k.until(now, proof)))
		if err != nil {
			return nil, err
		}
		label := "sig" + strconv.Itoa(n+1) + "="
		inputs, signatures = append(inputs, label+input), append(signatures, label+signature)
	}
	if len(holders) > 0 {
		header.Set("Signature-Input", strings.Join(inputs, ", "))
		header.Set("Signature", strings.Join(signatures, ", "))
	}
	return header, nil
}

// proofOf returns the parameters of a directory's signature (appendix B.1).
func proofOf(id string, created, expires time.Time) string {
	return fmt.Sprintf(`;created=%d;expires=%d;keyid=%q;tag="http-message-signatures-directory"`, created.Unix(), expires.Unix(), id)
}
