package webbotauth

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testKey is the key of RFC 9421 appendix B.1.4, by which the draft's examples are signed.
func testKey(t *testing.T) Key {
	seed, err := base64.RawURLEncoding.DecodeString("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU")
	require.NoError(t, err)
	return Key{Signer: ed25519.NewKeyFromSeed(seed)}
}

const testID = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"

// The examples of the draft, appendix E.2. Signatures of Ed25519 are the same each time.
func TestDraftSignatures(t *testing.T) {
	const agent = `"https://signature-agent.test"`
	for name, test := range map[string]struct {
		covered   []component
		params    string
		signature string
	}{
		"a dictionary": {
			[]component{{`"@authority"`, "example.com"}, {`"signature-agent";key="agent2"`, agent}},
			`;created=1735689600;keyid="` + testID + `";alg="ed25519";expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth"`,
			"RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==",
		},
		"the earlier form": {
			[]component{{`"@authority"`, "example.com"}, {`"signature-agent"`, agent}},
			`;created=1735689600;keyid="` + testID + `";alg="ed25519";expires=1735693200;nonce="e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";tag="web-bot-auth"`,
			"jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==",
		},
		"a directory": {
			[]component{{`"@authority";req`, "signature-agent.test"}, {`"content-digest"`, "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:"}},
			proofOf(testID, time.Unix(1735689600, 0), time.Unix(4889289600, 0)),
			"l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==",
		},
	} {
		_, signature, err := testKey(t).seal(test.covered, test.params)
		require.NoError(t, err)
		assert.Equal(t, ":"+test.signature+":", signature, name)
	}
}

// The draft's directory, octet for octet. Its digest is the one that is signed above.
func TestDraftDirectory(t *testing.T) {
	identity := &Identity{Origin: "https://signature-agent.test", Keys: []Key{testKey(t)}}
	header, body, err := identity.published(time.Unix(1735689600, 0))
	require.NoError(t, err)
	assert.Equal(t, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"`+testID+`","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"}]}`, string(body))
	assert.Equal(t, "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:", header.Get("Content-Digest"))
}

// The thumbprints of RFC 8037 appendix A.3 and of the draft's appendix E.2.
func TestThumbprint(t *testing.T) {
	for x, want := range map[string]string{
		"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
		"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs": testID,
	} {
		assert.Equal(t, want, thumbprint(x))
	}
}

// Of two keys, the new one signs as soon as it may. Both are published, until the old one is
// over. No signature outlives its key.
func TestRotation(t *testing.T) {
	monday := time.Unix(1_800_000_000, 0)
	fresh := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	old, next := testKey(t), Key{Signer: fresh, NotBefore: monday}
	old.NotAfter = monday.Add(day)
	for _, keys := range [][]Key{{old, next}, {next, old}} {
		identity := &Identity{Origin: "https://bot.example", Keys: keys, Life: time.Hour}
		require.NoError(t, identity.check())
		for _, test := range []struct {
			at        time.Duration
			signs     any
			published int
		}{
			{-year, old.Signer, 2},
			{-time.Second, old.Signer, 2},
			{0, next.Signer, 2},
			{day - time.Second, next.Signer, 2},
			{day, next.Signer, 1},
			{year, next.Signer, 1},
			{-time.Hour, old.Signer, 2}, // a clock that is set back
		} {
			now := monday.Add(test.at)
			key, err := identity.signer(now)
			require.NoError(t, err)
			assert.Equal(t, test.signs, any(key.Signer), test.at)
			_, body, err := identity.published(now)
			require.NoError(t, err)
			var list struct{ Keys []jwk }
			require.NoError(t, json.Unmarshal(body, &list))
			assert.Len(t, list.Keys, test.published, test.at)
		}
	}
	assert.Equal(t, old.NotAfter, old.until(old.NotAfter.Add(-time.Minute), time.Hour))
	over := &Identity{Origin: "https://bot.example", Keys: []Key{old}}
	require.NoError(t, over.check())
	_, err := over.signer(old.NotAfter)
	assert.ErrorContains(t, err, "no key may sign now")
	header, body, err := over.published(old.NotAfter)
	require.NoError(t, err)
	assert.Equal(t, `{"keys":[]}`, string(body))
	assert.NotContains(t, header, "Signature")
	assert.NotContains(t, header, "Signature-Input")
}

const year = 365 * day
