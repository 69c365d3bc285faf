package webbotauth

import (
	"crypto"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
)

// A component is a part of a message that a signature covers (RFC 9421 §2).
type component struct{ name, value string }

// names returns the list of the components in a Signature-Input.
func names(covered []component) string {
	var list []string
	for _, c := range covered {
		list = append(list, c.name)
	}
	return "(" + strings.Join(list, " ") + ")"
}

// seal returns the Signature-Input and the Signature of a message, without their label (RFC
// 9421 §3.1, §4). params are the parameters of the signature.
func (k Key) seal(covered []component, params string) (input, signature string, err error) {
	var base strings.Builder
	for _, c := range covered {
		base.WriteString(c.name + ": " + c.value + "\n")
	}
	input = names(covered) + params
	base.WriteString(`"@signature-params": ` + input)
	sum, err := k.Signer.Sign(rand.Reader, []byte(base.String()), crypto.Hash(0))
	if err != nil {
		return "", "", fmt.Errorf("webbotauth: the key does not sign: %w", err)
	}
	return input, binary(sum), nil
}

// binary returns b in the form of a structured field (RFC 9651 §3.3.5).
func binary(b []byte) string { return ":" + base64.StdEncoding.EncodeToString(b) + ":" }
