package robots

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPolicy(t *testing.T) {
	deny := polite.Policy{TooManyRedirects: polite.DenyAll, Forbidden: polite.DenyAll}
	allow := polite.Policy{TooManyRequests: polite.AllowAll, Unreachable: polite.AllowAll}
	far := polite.Policy{MaxRedirects: 6}
	near := polite.Policy{MaxRedirects: 1}
	tests := []struct {
		name    string
		answer  http.HandlerFunc
		policy  polite.Policy
		allowed bool
		reason  polite.Reason
	}{
		{"too many redirects", origintest.Redirect("/6"), polite.Policy{}, true, polite.ReasonUnavailable},
		{"too many redirects", origintest.Redirect("/6"), deny, false, polite.ReasonUnavailable},
		{"more redirects followed", origintest.Redirect("/6"), far, false, polite.ReasonRule},
		{"never fewer than five", origintest.Redirect("/5"), near, false, polite.ReasonRule},
		{"401", origintest.Status(401), polite.Policy{}, true, polite.ReasonUnavailable},
		{"401", origintest.Status(401), deny, false, polite.ReasonUnavailable},
		{"403", origintest.Status(403), deny, false, polite.ReasonUnavailable},
		{"404", origintest.Status(404), deny, true, polite.ReasonUnavailable},
		{"429", origintest.Status(429), polite.Policy{}, false, polite.ReasonUnreachable},
		{"429", origintest.Status(429), polite.Policy{TooManyRequests: polite.AllowAll}, true, polite.ReasonUnreachable},
		{"429", origintest.Status(429), polite.Policy{Unreachable: polite.AllowAll}, false, polite.ReasonUnreachable},
		{"500", origintest.Status(500), polite.Policy{}, false, polite.ReasonUnreachable},
		{"500", origintest.Status(500), polite.Policy{TooManyRequests: polite.AllowAll}, false, polite.ReasonUnreachable},
		{"500", origintest.Status(500), allow, true, polite.ReasonUnreachable},
		{"302 to nowhere", origintest.Status(302), polite.Policy{}, false, polite.ReasonUnreachable},
		{"302 to nowhere", origintest.Status(302), allow, true, polite.ReasonUnreachable},
		{"hangs", origintest.Hang, allow, true, polite.ReasonUnreachable},
		{"rules", origintest.Text(conduct.Rules), allow, false, polite.ReasonRule},
		{"403, and a mistake", origintest.Status(403), polite.Policy{Forbidden: 7}, false, polite.ReasonUnavailable},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s %+v", test.name, test.policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", test.answer)
				web.Page("example.com", "/1", origintest.Text(conduct.Rules))
				for i := 2; i <= 6; i++ {
					web.Page("example.com", fmt.Sprintf("/%d", i), origintest.Redirect(fmt.Sprintf("/%d", i-1)))
				}
				transport := conduct.NewTransport(t, web)
				transport.Policy = test.policy
				transport.Policy.Timeout = 100 * time.Millisecond
				req, err := http.NewRequest("GET", "http://example.com/private", nil)
				require.NoError(t, err)
				decision, err := transport.Check(t.Context(), req.URL)
				require.NoError(t, err)
				assert.Equal(t, test.allowed, decision.Allowed)
				assert.Equal(t, test.reason, decision.Reason)

				resp, err := transport.RoundTrip(req)
				assert.Equal(t, test.allowed, err == nil, "RoundTrip does as Check says")
				if err == nil {
					resp.Body.Close()
				}
				_, unreachable := errors.AsType[*polite.NoRulesError](err)
				assert.Equal(t, !test.allowed && test.reason != polite.ReasonRule, unreachable)
			})
		})
	}
}

// Under Strict a request is refused if either form of its path is disallowed: as it
// is sent, or as most servers read it.
func TestFoldPaths(t *testing.T) {
	const rules = "user-agent: *\ndisallow: /private\nallow: /private/open\ndisallow: /a//b\n"
	tests := []struct {
		target          string
		loose, strictly bool // allowed
	}{
		{"/public", true, true},
		{"/private", false, false},
		{"//private", true, false},
		{"/x/../private", true, false},
		{"/x/%2e%2E/private/a?b", true, false},
		{"/./private", true, false},
		{"/x/../private/open", true, true},
		{"/private/../public", false, false},
		{"/private/open/../../public", true, true},
		{"/a//b", false, false},
		{"/a/b", true, true},
		{"/public?x=/../private", true, true},
	}
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(rules))
	loose, strictly := conduct.NewTransport(t, web), conduct.NewTransport(t, web)
	strictly.Policy = polite.Strict()
	for _, test := range tests {
		for transport, want := range map[*polite.Transport]bool{loose: test.loose, strictly: test.strictly} {
			_, err := conduct.Get(&http.Client{Transport: transport}, "http://example.com"+test.target)
			if want {
				assert.NoError(t, err, "%s", test.target)
			} else {
				assert.ErrorIs(t, err, polite.ErrDisallowed, "%s", test.target)
			}
		}
	}
	for _, a := range web.Log().Pages() {
		assert.NotEqual(t, "/private", a.URI)
	}
}

func TestCheckRedirect(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Redirect("http://localhost/rules"))
	web.Page("localhost", "/rules", origintest.Text(conduct.Rules))
	public := &url.URL{Scheme: "http", Host: "example.com", Path: "/private"}

	transport := conduct.NewTransport(t, web)
	_, err := transport.RoundTrip(&http.Request{URL: public, Header: http.Header{}})
	assert.ErrorContains(t, err, "redirected to http://localhost/rules: from a public host to one that is not")
	assert.NotErrorAs(t, err, new(*polite.DisallowedError))
	assert.Empty(t, web.Log().At("localhost"))

	var asked []string
	transport = conduct.NewTransport(t, web)
	transport.Policy.CheckRedirect = func(from, to *url.URL) error {
		asked = append(asked, from.String()+" "+to.String())
		return nil
	}
	decision, err := transport.Check(t.Context(), public)
	require.NoError(t, err)
	assert.Equal(t, polite.ReasonRule, decision.Reason)
	assert.Equal(t, []string{"http://localhost/rules"}, decision.Hops)
	assert.Equal(t, []string{"http://example.com/robots.txt http://localhost/rules"}, asked)

	// The rules are not those of where they came from.
	decision, err = transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "localhost", Path: "/private"})
	require.NoError(t, err)
	assert.Equal(t, polite.ReasonUnavailable, decision.Reason)
}

func TestExempt(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(conduct.Rules))
	transport := conduct.NewTransport(t, web)
	transport.Policy.Exempt = func(req *http.Request) bool { return req.URL.Host == "api.example.com" }
	client := &http.Client{Transport: transport}
	_, err := conduct.Get(client, "http://api.example.com/private")
	require.NoError(t, err)
	_, err = conduct.Get(client, "http://example.com/private")
	require.ErrorIs(t, err, polite.ErrRefused)
	assert.Equal(t, "GET http://api.example.com/private\nGET http://example.com/robots.txt\n", web.Log().String())
	assert.Equal(t, conduct.UserAgent, web.Log()[0].Header.Get("User-Agent"))

	decision, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "api.example.com", Path: "/"})
	require.NoError(t, err)
	assert.True(t, decision.Allowed)
	assert.Equal(t, polite.ReasonExempt, decision.Reason)
}

// An exempt request goes out as net/http has it, also with a target that nobody could judge: a CONNECT through a proxy.
func TestExemptTarget(t *testing.T) {
	web := origintest.New(t)
	transport := conduct.NewTransport(t, web)
	connect := func() error {
		u := &url.URL{Scheme: "http", Host: "proxy.example", Opaque: "other.example:443"}
		resp, err := transport.RoundTrip((&http.Request{Method: http.MethodConnect, URL: u, Header: http.Header{}}).WithContext(t.Context()))
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	assert.ErrorContains(t, connect(), "URL.Opaque of the CONNECT request is not where it goes")
	transport = conduct.NewTransport(t, web)
	transport.Policy.Exempt = func(*http.Request) bool { return true }
	require.NoError(t, connect())
	assert.Equal(t, []string{"other.example:443"}, web.Log().URIs())
}

// A web page in the place of robots.txt is a file without rules, as Google reads it, and no answer in a
// strict Policy. The Decision says that it was one.
func TestWebPage(t *testing.T) {
	const page = "\ufeff\n<!doctype html><title>Home</title>\n<meta content=\"a: b\">\n"
	for _, test := range []struct {
		name, body, basis string
		strict            bool // Strict allows it
	}{
		{"a page", page, "WebPage: allow all", false},
		{"a page with a rule", page + "user-agent: *\ndisallow: /x\n", "", true},
		{"a page with a sitemap", page + "sitemap: https://example.com/sitemap.xml\n", "", true},
		{"no page", "User-agent; *\n", "", true},
		{"nothing", "", "", true},
	} {
		for _, policy := range []polite.Policy{{}, polite.Strict()} {
			t.Run(test.name, func(t *testing.T) {
				web := origintest.New(t)
				web.Robots("example.com", origintest.Text(test.body))
				transport := conduct.NewTransport(t, web)
				policy.Timeout = transport.Policy.Timeout
				transport.Policy = policy
				_, err := conduct.Get(conduct.Client(transport), "http://example.com/page")
				if allowed := policy.WebPage != polite.DenyAll || test.strict; !allowed {
					refusal, ok := errors.AsType[*polite.NoRulesError](err)
					require.True(t, ok, "%v", err)
					assert.Equal(t, "WebPage: deny all", refusal.Basis)
					assert.ErrorContains(t, err, "WebPage")
					assert.Empty(t, web.Log().Pages())
					return
				}
				require.NoError(t, err)
				d, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "example.com", Path: "/page"})
				require.NoError(t, err)
				assert.Equal(t, test.basis, d.Basis)
				assert.Equal(t, polite.ReasonNoRule, d.Reason)
			})
		}
	}
}
