package queue

import (
	"crypto/sha256"
	"encoding/binary"
	"net/url"
)

// known has the digests of the URLs that PushNew has added. The last bit of a digest is 0. A page that is gone
// has a second one, with 1.
type known map[uint64]struct{}

func (k known) has(digest uint64) bool {
	_, ok := k[digest]
	return ok
}

func (k known) isGone(digest uint64) bool { return k.has(digest | 1) }

func (k *known) add(digest uint64) {
	if *k == nil {
		*k = make(known)
	}
	(*k)[digest] = struct{}{}
}

// digest returns a number for a URL in its normal form. Nobody can find two URLs that have the same.
func digest(u *url.URL) uint64 {
	room := append(make([]byte, 0, 256), originOf(u)...)
	room = appendNormal(room, u.RequestURI())
	sum := sha256.Sum256(room)
	return binary.BigEndian.Uint64(sum[:]) &^ 1
}

// appendNormal appends the path and query of a URL in their one spelling (RFC 3986 §6.2.2): hex digits are upper
// case, what need not be encoded is not, and what is beyond ASCII is.
func appendNormal(dst []byte, target string) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(target); i++ {
		c := target[i]
		encoded := c >= 0x80 // parse lets no space and no control through
		if c == '%' && i+2 < len(target) && isHex(target[i+1]) && isHex(target[i+2]) {
			c = unhex(target[i+1])<<4 | unhex(target[i+2])
			encoded = !isUnreserved(c)
			i += 2
		}
		if encoded {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

func isUnreserved(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '.' || c == '_' || c == '~'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
