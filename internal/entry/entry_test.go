package entry_test

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const key = "examplebot https://example.com"

func samples() map[string]entry.Entry {
	validators := fetch.Validators{URL: "https://example.com/robots.txt", ETag: `W/"1"`, LastModified: "Sat, 21 Nov 2026 12:00:00 GMT"}
	return map[string]entry.Entry{
		"rules": {Answer: &entry.Answer{Status: 200, MaxAge: -1, Body: []byte("user-agent: *\ndisallow: /\n")}},
		"all that there can be": {
			Answer: &entry.Answer{
				Since: time.Hour, Status: 203, Hops: []string{"https://example.com/2", "https://example.org/?a=%20b"}, Beyond: "https://example.net/", MaxAge: time.Minute,
				Validators: validators, Body: []byte("\xEF\xBB\xBFuser-agent: \x00\xff"),
			},
			Failure: &entry.Failure{Since: time.Minute, Tries: 3, Status: 503, Hops: []string{"https://example.com/3"}, Beyond: "https://example.org/3", Err: "no answer", TimedOut: time.Second, RetryAfter: time.Hour},
		},
		"none":               {Answer: &entry.Answer{Status: 404, MaxAge: 0}},
		"too many redirects": {Answer: &entry.Answer{Status: 302, Beyond: "https://example.com/2", MaxAge: -1, TooManyRedirects: true}},
		"a failure":          {Failure: &entry.Failure{Tries: 1, Err: "connection refused"}},
		"a large file":       {Answer: &entry.Answer{Status: 200, MaxAge: -1, Body: []byte(strings.Repeat("disallow: /a\n", robots.MaxSize/13+1))[:robots.MaxSize+1]}},
	}
}

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	for name, sample := range samples() {
		t.Run(name, func(t *testing.T) {
			got, err := entry.Decode(key, sample.Encode(key))
			require.NoError(t, err)
			if sample.Answer != nil && sample.Answer.Body == nil {
				sample.Answer.Body = []byte{}
			}
			assert.Equal(t, &sample, got)
		})
	}
}

// An entry that is cut, has a flipped bit, or lies under another key is damaged.
func TestDamage(t *testing.T) {
	for name, sample := range samples() {
		whole := sample.Encode(key)
		t.Run(name, func(t *testing.T) {
			for _, other := range []string{"", key + " ", "examplebot https://example.org", "otherbot https://example.com"} {
				_, err := entry.Decode(other, whole)
				assert.ErrorIs(t, err, entry.ErrDamaged)
			}
			for i := 0; i < len(whole); i += 1 + i/300 {
				_, err := entry.Decode(key, whole[:i])
				require.ErrorIs(t, err, entry.ErrDamaged, "cut at %d", i)
				flipped := bytes.Clone(whole)
				flipped[i] ^= 1 << (i % 8)
				_, err = entry.Decode(key, flipped)
				require.ErrorIs(t, err, entry.ErrDamaged, "a bit of octet %d", i)
			}
			_, err := entry.Decode(key, append(bytes.Clone(whole), 0))
			assert.ErrorIs(t, err, entry.ErrDamaged)
		})
	}
}

// sealed returns an entry with a valid checksum, as someone could write it who knows the
// form.
func sealed(header, body string) []byte {
	b := append([]byte("plt\x01"), make([]byte, 16)...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(header)))
	b = append(append(b, header...), body...)
	return seal(b)
}

func seal(b []byte) []byte {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(key))))
	h.Write([]byte(key))
	h.Write(b[20:])
	copy(b[4:], h.Sum(nil)[:16])
	return b
}

func deflated(body string) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	w.Write([]byte(body))
	w.Close()
	return b.String()
}

func TestHostileRecords(t *testing.T) {
	bomb := deflated(strings.Repeat("\x00", 10<<20))
	tests := []struct {
		name, header, body string
	}{
		{"no header", ``, ""},
		{"no JSON", `{`, ""},
		{"nothing", `{}`, ""},
		{"null", `null`, ""},
		{"other types", `{"a":{"t":"x"}}`, ""},
		{"fractions", `{"a":{"t":1.5}}`, ""},
		{"infinite", `{"a":{"t":1e400}}`, ""},
		{"not deflated", `{"a":{"s":200},"z":true}`, "x"},
		{"a bomb", `{"a":{"s":200},"z":true}`, bomb},
		{"a body that is too long", `{"a":{"s":200}}`, strings.Repeat("x", robots.MaxSize+2)},
		{"a header that is too long", `{"a":{"s":200,"e":"` + strings.Repeat("x", 300<<10) + `"}}`, strings.Repeat("x", robots.MaxSize)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := entry.Decode(key, sealed(test.header, test.body))
			assert.ErrorIs(t, err, entry.ErrDamaged)
		})
	}
}

// The header of an entry ends within it.
func TestHostileLength(t *testing.T) {
	b := sealed(`{"a":{"s":200}}`, "")
	_, err := entry.Decode(key, b)
	require.NoError(t, err)
	b[23]++
	_, err = entry.Decode(key, seal(b))
	assert.ErrorIs(t, err, entry.ErrDamaged)
}

// Whatever an entry says, what is read of it is within bounds and safe to show.
func TestHostileValues(t *testing.T) {
	header := `{"a":{"t":-9223372036854775808,"s":-5,"h":["http://a/\u001b]0;x"],"m":9223372036854775807,"e":"\"a\r\nCookie: b","u":"x"},` +
		`"f":{"t":9223372036854775807,"n":-7,"s":123456,"e":"\u001b[2J\u202e","w":9223372036854775807}}`
	r, err := entry.Decode(key, sealed(header, ""))
	require.NoError(t, err)
	century := 100 * 365 * 24 * time.Hour
	assert.Equal(t, &entry.Answer{Hops: []string{"http://a/%1B]0;x"}, MaxAge: century, Body: []byte{}}, r.Answer)
	assert.Equal(t, &entry.Failure{Since: century, Tries: 1, Err: `\x1b[2J\u202e`, RetryAfter: 24 * time.Hour}, r.Failure)
	r, err = entry.Decode(key, sealed(`{"f":{"n":2147483647}}`, ""))
	require.NoError(t, err)
	assert.Equal(t, 1<<20, r.Failure.Tries, "one more is a number, too")
	for written, want := range map[int]int{99: 0, 100: 100, 999: 999, 1000: 0} {
		r, err := entry.Decode(key, sealed(fmt.Sprintf(`{"a":{"s":%d}}`, written), ""))
		require.NoError(t, err)
		assert.Equal(t, want, r.Answer.Status)
	}
}

// Decode survives all input. What it reads of an octet string is either damaged, or is
// read again the same.
func FuzzDecode(f *testing.F) {
	for _, sample := range samples() {
		if b := sample.Encode(key); len(b) < 1<<16 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := entry.Decode(key, b); err == nil {
			whole := false
			for _, sample := range samples() {
				whole = whole || bytes.Equal(b, sample.Encode(key))
			}
			require.True(t, whole, "nobody has written it")
		}
		if len(b) < 24 || string(b[:4]) != "plt\x01" {
			return
		}
		r, err := entry.Decode(key, seal(bytes.Clone(b))) // as if someone had
		if err != nil {
			return
		}
		again, err := entry.Decode(key, r.Encode(key))
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}
