package reach

import (
	"testing"

	"github.com/go-polite/polite/public"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A name to which the public internet leads is dialled at public addresses alone, unless the user asks
// it. Nobody listens at the addresses here.
func TestRedirect(t *testing.T) {
	for name, test := range map[string]struct {
		from     reached
		asked    bool
		isClosed bool
	}{
		"from the public internet":               {publicly, false, true},
		"from the public internet, and asked":    {publicly, true, false},
		"from a private network":                 {privately, false, false},
		"from a name that leads to both":         {publicly | privately, false, true},
		"from where nobody knows":                {0, false, false},
		"from a private network, and asked, too": {privately, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			clear(led)
			dialled.sites = map[string]reached{"a.example:443": test.from}
			to := parsed(t, "http://127.0.0.1.nip.example:1/robots.txt")
			require.NoError(t, Redirect(parsed(t, "https://a.example/robots.txt"), to))
			over := func() {}
			if test.asked {
				over = Ask(to)
			}
			assert.Equal(t, test.isClosed, isLed("127.0.0.1.NIP.example.:1"))
			over()
			assert.Equal(t, test.from&publicly != 0, isLed("127.0.0.1.nip.example:1"))
		})
	}
	require.ErrorIs(t, Redirect(parsed(t, "https://a.example/"), parsed(t, "http://127.1/")), public.ErrPrivate)
}

// The dialer connects to no private address of a name that the public internet has led to.
func TestLedDial(t *testing.T) {
	clear(led)
	led["localhost:1"] = true
	_, err := Dial(nil)(t.Context(), "tcp", "localhost:1")
	require.ErrorIs(t, err, public.ErrPrivate)
	defer Ask(parsed(t, "http://localhost:1/"))()
	_, err = Dial(nil)(t.Context(), "tcp", "localhost:1")
	require.Error(t, err)
	require.NotErrorIs(t, err, public.ErrPrivate, "it is refused by the machine")
}
