package request

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// getWith fetches url with options.
func getWith(t testing.TB, client *http.Client, url string, options polite.Options) error {
	req, err := http.NewRequestWithContext(polite.With(t.Context(), options), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := client.Do(req)
	if err == nil {
		resp.Body.Close()
	}
	return err
}

// A request has purposes of its own, and the next one has not. So have the hops of a
// redirect.
func TestOwnPurposes(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(conduct.Signals))
	web.Page("silent.example", "/away", origintest.Redirect("http://example.com/page"))
	train := polite.Options{Purposes: []usage.Use{usage.TrainAI}}

	client := conduct.Training(t, web)
	assert.NoError(t, getWith(t, client, "http://example.com/page", polite.Options{}))
	assert.ErrorIs(t, getWith(t, client, "http://example.com/page", train), polite.ErrUse)
	assert.ErrorIs(t, getWith(t, client, "http://silent.example/away", train), polite.ErrUse)
	assert.NoError(t, getWith(t, client, "http://example.com/page", polite.Options{Purposes: []usage.Use{usage.Search}}))
	assert.ErrorContains(t, getWith(t, client, "http://example.com/page", polite.Options{Purposes: []usage.Use{"Train AI"}}), "Options.Purposes")

	client = conduct.Training(t, web, usage.TrainAI)
	assert.ErrorIs(t, getWith(t, client, "http://example.com/page", polite.Options{}), polite.ErrUse)
	assert.NoError(t, getWith(t, client, "http://example.com/page", polite.Options{Purposes: []usage.Use{}}))
	assert.ErrorIs(t, getWith(t, client, "http://example.com/private", polite.Options{Purposes: []usage.Use{}}), polite.ErrDisallowed)
	assert.Len(t, web.Log().At("example.com").Pages(), 3)
}

// Check tells what RoundTrip does with the Options of a context.
func TestCheckWithOptions(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(conduct.Signals))
	transport := conduct.NewTransport(t, web)
	u := &url.URL{Scheme: "http", Host: "example.com", Path: "/page"}
	for options, reason := range map[*polite.Options]polite.Reason{
		{}: polite.ReasonNoRule, {Purposes: []usage.Use{usage.TrainAI}}: polite.ReasonUse, {Agreed: true, Basis: "a letter"}: polite.ReasonAgreed,
	} {
		d, err := transport.Check(polite.With(t.Context(), *options), u)
		require.NoError(t, err)
		assert.Equal(t, reason, d.Reason)
		assert.Equal(t, options.Basis, d.Basis)
	}
}

// New rules are judged for the purposes of the request that waits.
func TestOwnPurposesInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		before := "user-agent: *\ncrawl-delay: 30\n"
		web.Robots("example.com", conduct.Changing(conduct.Caching(before, 300), time.Second, conduct.Caching(before+"content-signal: ai-train=no\n", 300)))
		client := conduct.Client(conduct.NewTransport(t, web))
		train := polite.Options{Purposes: []usage.Use{usage.TrainAI}}
		var refused []error
		ended := make(chan error)
		for range 20 {
			go func() { ended <- getWith(t, client, "http://example.com/page", train) }()
		}
		for range 20 {
			if err := <-ended; err != nil {
				refused = append(refused, err)
			}
		}
		assert.Len(t, web.Log().Pages(), 20-len(refused))
		assert.NotEmpty(t, refused)
		for _, err := range refused {
			assert.ErrorIs(t, err, polite.ErrUse)
		}
	})
}

// With an agreement, a request is not judged, but paced. A redirect to another origin is
// judged there; one within the origin is not.
func TestOwnAgreement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text("user-agent: *\ndisallow: /\n"))
		web.Robots("other.example", origintest.Text("user-agent: *\ndisallow: /\n"))
		web.Page("example.com", "/within", origintest.Redirect("/private"))
		web.Page("example.com", "/away", origintest.Redirect("http://other.example/private"))
		transport := conduct.NewTransport(t, web)
		transport.Pace.MinDelay = time.Second
		client, agreed := conduct.Client(transport), polite.Options{Agreed: true, Basis: "a letter"}
		start := time.Now()
		assert.NoError(t, getWith(t, client, "http://example.com/private", agreed))
		assert.NoError(t, getWith(t, client, "http://example.com/within", agreed))
		assert.ErrorIs(t, getWith(t, client, "http://example.com/away", agreed), polite.ErrDisallowed)
		assert.Empty(t, web.Log().At("example.com").Robots())
		assert.ErrorIs(t, getWith(t, client, "http://example.com/private", polite.Options{}), polite.ErrDisallowed)
		pages := web.Log().Pages()
		assert.Len(t, pages, 4)
		for i, page := range pages {
			assert.Equal(t, "example.com", page.Host)
			assert.Equal(t, time.Duration(i)*time.Second, page.Time.Sub(start), "it takes its turn")
		}
	})
}

// The Options of a context take the place of those that it has.
func TestWithAgain(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(conduct.Rules))
	ctx := polite.With(polite.With(context.Background(), polite.Options{Agreed: true}), polite.Options{})
	d, err := conduct.NewTransport(t, web).Check(ctx, &url.URL{Scheme: "http", Host: "example.com", Path: "/private"})
	require.NoError(t, err)
	assert.False(t, d.Allowed)
}

// Each field of With comes before that of Sites, and this before that of the Transport.
func TestOptionsOfBoth(t *testing.T) {
	gap := func(d time.Duration) *polite.Pace { return &polite.Pace{MinDelay: d} }
	train, none := []usage.Use{usage.TrainAI}, []usage.Use{}
	for name, test := range map[string]struct {
		site, with polite.Options
		gap        time.Duration
		refused    bool // for its use
	}{
		"neither":             {polite.Options{}, polite.Options{}, 3 * time.Second, false},
		"a pace of the site":  {polite.Options{Pace: gap(2 * time.Second)}, polite.Options{}, 2 * time.Second, false},
		"a pace of both":      {polite.Options{Pace: gap(2 * time.Second)}, polite.Options{Pace: gap(time.Second)}, time.Second, false},
		"one field of each":   {polite.Options{Pace: gap(2 * time.Second)}, polite.Options{Purposes: train}, 2 * time.Second, true},
		"a use of the site":   {polite.Options{Purposes: train}, polite.Options{}, 3 * time.Second, true},
		"no use of a request": {polite.Options{Purposes: train}, polite.Options{Purposes: none}, 3 * time.Second, false},
		"a key of a request":  {polite.Options{Key: "a"}, polite.Options{Key: "other"}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Text(conduct.Signals))
				transport := conduct.NewTransport(t, web)
				transport.Pace = *gap(3 * time.Second)
				transport.Sites = func(*http.Request) *polite.Options { return &test.site }
				client := conduct.Client(transport)
				require.NoError(t, getWith(t, client, "http://example.com/1", polite.Options{Pace: test.with.Pace, Purposes: none}))
				start := time.Now()
				err := getWith(t, client, "http://example.com/2", test.with)
				if test.refused {
					assert.ErrorIs(t, err, polite.ErrUse)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, test.gap, time.Since(start).Round(time.Millisecond))
			})
		})
	}
}
