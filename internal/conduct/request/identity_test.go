package request

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A page goes to the host whose robots.txt was asked for: to the same address,
// with the same Host, by HTTP/1.1 and HTTP/2.
func TestHostThatIsAsked(t *testing.T) {
	tests := []struct {
		url, host string // of the request, its Host "" if the URL's
		sent      string // as Host, after which the server is known
		dialed    string // without the scheme's port
		page      string // of which the page is asked; "": as sent
	}{
		{"//EXAMPLE.com", "", "example.com", "example.com", ""},
		{"//example.com:", "", "example.com", "example.com", ""},
		{"//example.com:PORT", "", "example.com", "example.com", "example.com:PORT"},
		{"//example.com:0PORT", "", "example.com", "example.com", ""},
		{"//EXAMPLE.com.", "", "example.com", "example.com", ""},
		{"//a_b.example", "", "a_b.example", "a_b.example", ""},
		{"//EXÄMPLE.com", "", "xn--exmple-cua.com", "xn--exmple-cua.com", ""},
		{"//①.example", "", "1.example", "1.example", ""},
		{"//[0:0::1]", "", "[::1]", "[::1]", ""},
		{"//127.0.0.1", "EXÄMPLE.com", "xn--exmple-cua.com", "127.0.0.1", ""},
		{"//①.example", "example.com", "example.com", "1.example", ""},
		{"//example.com", "EXAMPLE.com:PORT", "example.com", "example.com", ""},
	}
	for scheme, port := range map[string]string{"http": "80", "https": "443"} {
		inScheme := strings.NewReplacer("//", scheme+"://", "PORT", port)
		for _, test := range tests {
			t.Run(scheme+" "+test.url+" of "+test.host, func(t *testing.T) {
				web := origintest.New(t)
				web.Robots(test.sent, origintest.Text(conduct.Rules))
				transport, dials := counted(t, web)
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				for path, want := range map[string]error{"/public": nil, "/private": polite.ErrDisallowed} {
					req, err := http.NewRequestWithContext(ctx, "GET", inScheme.Replace(test.url)+path, nil)
					require.NoError(t, err)
					if test.host != "" {
						req.Host = inScheme.Replace(test.host)
					}
					before := conduct.Snapshot(req)
					resp, err := transport.RoundTrip(req)
					require.ErrorIs(t, err, want)
					assert.Equal(t, before, conduct.Snapshot(req), "the request is not changed")
					if err == nil {
						resp.Body.Close()
					}
				}
				site, page := scheme+"://"+test.sent, scheme+"://"+cmp.Or(inScheme.Replace(test.page), test.sent)
				assert.ElementsMatch(t, []string{"GET " + site + "/robots.txt", "GET " + page + "/public"}, strings.Split(strings.TrimSpace(web.Log().String()), "\n"))
				assert.Equal(t, []string{test.dialed + ":" + port}, slices.Compact(dials.all()))
			})
		}
	}
}

// A name with the root's dot is the name without it, and is sent as written.
func TestRootsDot(t *testing.T) {
	web := origintest.NewInMemory(t)
	web.Robots("example.com", origintest.Text(conduct.Rules))
	web.Page("example.com.", "/public", origintest.Text("a page"))
	client := conduct.Client(conduct.NewTransport(t, web))
	_, err := conduct.Get(client, "http://example.com./private")
	require.ErrorIs(t, err, polite.ErrDisallowed)
	for _, host := range []string{"example.com.", "example.com"} {
		_, err = conduct.Get(client, "http://"+host+"/public")
		require.NoError(t, err)
	}
	assert.Equal(t, "GET http://example.com/robots.txt\nGET http://example.com./public\nGET http://example.com/public\n", web.Log().String())
}

// A host that net/http spells in two ways, so that it never finds the connection
// that it has made, is connected to once.
func TestOneConnection(t *testing.T) {
	const odd = "https://①.example"
	web := origintest.New(t)
	web.Page("example.com", "/to-odd", origintest.Redirect(odd+"/public"))
	web.Robots("other.example", origintest.Redirect(odd+"/rules"))
	web.Page("1.example", "/rules", origintest.Text(conduct.Rules))
	for _, url := range []string{odd + "/public", "https://example.com/to-odd", "https://other.example/public"} {
		t.Run(url, func(t *testing.T) {
			transport, dials := counted(t, web)
			client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
			status, err := conduct.Get(client, url)
			require.NoError(t, err)
			assert.Equal(t, 200, status)
			to := dials.all()
			slices.Sort(to)
			assert.Equal(t, slices.Compact(slices.Clone(to)), to, "each host once")
			assert.Contains(t, to, "1.example:443")
		})
	}
}

// A host that has no spelling in ASCII is asked nothing.
func TestHostThatCannotBeSent(t *testing.T) {
	for host, problem := range map[string]string{
		"xn--exämple":      `polite: the host "xn--exämple" of the URL cannot be written in ASCII`,
		"a\u202eb.example": `the host "a\u202eb.example" of the URL cannot be written in ASCII`,
		"\xff.example":     "cannot be written in ASCII",
		"a b":              `the host "a b" of the URL has a ' ', which cannot be sent`,
		"::1":              "write an IPv6 address in brackets, as in [::1]",
		"%65xample.com":    `has a '%', which cannot be sent: write the name as DNS has it, as in example.com`,
	} {
		for _, u := range []url.URL{{Host: host}, {Host: "example.com", Opaque: "//" + host + "/"}} {
			web := origintest.New(t)
			transport, dials := counted(t, web)
			u.Scheme, u.Path = "http", "/"
			sent := conduct.NewBody()
			req := &http.Request{Method: "POST", URL: &u, Header: http.Header{}, Body: sent}
			if u.Opaque != "" {
				req.Host = host
			}
			_, err := transport.RoundTrip(req)
			assert.ErrorContains(t, err, problem)
			assert.NotErrorIs(t, err, polite.ErrDisallowed)
			assert.EqualValues(t, 1, sent.Closed.Load(), "body closed")
			assert.Empty(t, dials.all())
		}
	}
}

// A request-target in absolute form is judged in the spelling and by the host in
// which it is sent, or not sent. So is one that no URL is written as.
func TestTargetThatIsSent(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: *\ndisallow: /a%2Fb\ndisallow: /c//\n"))
	transport := conduct.NewTransport(t, web)
	for _, test := range []struct {
		method  string
		url     url.URL // at example.com
		problem string  // "" if it is sent
	}{
		{"GET", url.URL{Opaque: "//example.com/a%2Fb|"}, `"disallow: /a%2Fb"`},
		{"GET", url.URL{Opaque: "http://example.com/a%2Fb|"}, `"disallow: /a%2Fb"`},
		{"GET", url.URL{Opaque: "//example.com/c//../d"}, `"disallow: /c//"`},
		{"GET", url.URL{Opaque: "//example.com/a/b|"}, ""},
		{"GET", url.URL{Opaque: "//user:secret@other.example/a"}, `write "/page" or "//example.com/page"`},
		{"GET", url.URL{Path: ".evil.example/a"}, `does not begin with "/"`},
		{"GET", url.URL{Path: "/x", RawQuery: "a#b"}, `only "%23" can be sent`},
		{"CONNECT", url.URL{Opaque: "other.example:80"}, `write "example.com:80", or leave it empty`},
		{"CONNECT", url.URL{Opaque: "example.com:80"}, ""},
	} {
		web.Take()
		test.url.Scheme, test.url.Host = "http", "example.com"
		sent := conduct.NewBody()
		req := &http.Request{Method: test.method, URL: &test.url, Header: http.Header{}, Body: sent}
		resp, err := transport.RoundTrip(req.WithContext(t.Context()))
		if test.problem != "" {
			assert.ErrorContains(t, err, test.problem, test.url)
			assert.NotContains(t, err.Error(), "secret")
			assert.EqualValues(t, 1, sent.Closed.Load(), "body closed")
			assert.Empty(t, web.Take().Pages(), test.url)
			continue
		}
		require.NoError(t, err, test.url)
		resp.Body.Close()
		assert.Len(t, web.Take().Pages(), 1, test.url)
	}
}

// A dialing is what a transport has connected to.
type dialing struct {
	mu sync.Mutex
	to []string
}

func (d *dialing) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.to)
}

// counted returns a transport to web, and what it connects to.
func counted(t testing.TB, web *origintest.Server) (*polite.Transport, *dialing) {
	d := new(dialing)
	transport := conduct.NewTransport(t, web)
	base := transport.Base.(*http.Transport)
	dial := base.DialContext
	base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		d.mu.Lock()
		d.to = append(d.to, address)
		d.mu.Unlock()
		return dial(ctx, network, address)
	}
	return transport, d
}

// Whatever a request calls itself, the site sees the product that was judged.
func TestIdentity(t *testing.T) {
	const news = "ExampleBot-News"
	tests := []struct {
		name   string
		agents []string
		header http.Header
		sent   string // "" is our UserAgent
	}{
		{"none", nil, http.Header{}, ""},
		{"no header", nil, nil, ""},
		{"suppressed", nil, http.Header{"User-Agent": {""}}, ""},
		{"suppressed by no value", nil, http.Header{"User-Agent": nil}, ""},
		{"a space", nil, http.Header{"User-Agent": {" "}}, ""},

		{"ours", nil, named(conduct.UserAgent), conduct.UserAgent},
		{"another of ours", nil, named("ExampleBot/2.0 (+https://example.com/new)"), "ExampleBot/2.0 (+https://example.com/new)"},
		{"ours in lower case", nil, named("examplebot"), "examplebot"},
		{"ours as a browser's", nil, named("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"), "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"},
		{"ours first", nil, named("ExampleBot/2.0", "OtherBot"), "ExampleBot/2.0"},
		{"one of Agents", []string{news, "Example.Bot"}, named("example.bot/2.0"), "example.bot/2.0"},
		{"UserAgent's, beside Agents", []string{news}, named("ExampleBot/2.0"), "ExampleBot/2.0"},

		{"another", nil, named("OtherBot/1.0"), ""},
		{"another, beside Agents", []string{news}, named("OtherBot/1.0"), ""},
		{"another first", nil, named("OtherBot", "ExampleBot"), ""},
		{"one that begins as ours", nil, named("ExampleBot-News/1.0"), ""},
		{"ours with another before", nil, named("OtherBot/1.0 ExampleBot/1.0"), ""},
		{"ours after a space", nil, named(" ExampleBot/1.0"), ""},
		{"a library", nil, named("Go-http-client/1.1"), ""},
		{"a client", nil, named("colly - https://github.com/gocolly/colly/v2"), ""},
		{"a browser", nil, named("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"), ""},
		{"no product", nil, named("(compatible)"), ""},

		{"another key", nil, http.Header{"user-agent": {"OtherBot"}, "USER-AGENT": {"OtherBot"}}, ""},
		{"another key besides", nil, http.Header{"User-Agent": {conduct.UserAgent}, "user-agent": {"OtherBot"}}, ""},
		{"another key in capitals besides", nil, http.Header{"User-Agent": {conduct.UserAgent}, "USER-AGENT": {"OtherBot"}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			web := origintest.New(t)
			transport := conduct.NewTransport(t, web)
			transport.Agents = test.agents
			transport.Policy.Exempt = func(req *http.Request) bool { return req.URL.Path == "/exempt" }
			want := http.Header{"User-Agent": {cmp.Or(test.sent, conduct.UserAgent)}, "Accept-Encoding": {"gzip"}}
			for _, scheme := range []string{"http", "https"} {
				for _, path := range []string{"/page", "/exempt", "/robots.txt"} {
					header := test.header.Clone()
					req := (&http.Request{URL: &url.URL{Scheme: scheme, Host: "example.com", Path: path}, Header: header}).WithContext(t.Context())
					resp, err := transport.RoundTrip(req)
					require.NoError(t, err)
					resp.Body.Close()
					assert.Equal(t, test.header, req.Header, "the request is not changed")
					log := web.Take()
					assert.Equal(t, want, log[len(log)-1].Header, "%s://…%s", scheme, path)
					if path == "/page" {
						require.Len(t, log, 2)
						assert.Equal(t, named(conduct.UserAgent)["User-Agent"], log[0].Header["User-Agent"], "of robots.txt")
					}
				}
			}
		})
	}
}

func named(userAgents ...string) http.Header { return http.Header{"User-Agent": userAgents} }

// That a request is sent under another name than its own is told once.
func TestIdentityIsTold(t *testing.T) {
	told := func(header http.Header) string {
		var out conduct.Log
		transport := conduct.NewTransport(t, origintest.New(t))
		transport.Logger = out.Logger(slog.LevelWarn)
		own := products.Add(1) // else it is told that two Transports ask the same site
		var crowd sync.WaitGroup
		for i := range 10 {
			crowd.Go(func() {
				req := &http.Request{URL: &url.URL{Scheme: "http", Host: fmt.Sprintf("%d.%d.example", i, own), Path: "/"}, Header: header}
				resp, err := transport.RoundTrip(req.WithContext(t.Context()))
				if assert.NoError(t, err) {
					resp.Body.Close()
				}
			})
		}
		crowd.Wait()
		_, line, _ := strings.Cut(out.String(), " ") // the time
		return line
	}
	const text = `level=WARN msg="User-Agent replaced; not logged again" replaced=`
	const sent = ` sent="ExampleBot/1.0 (+https://example.com/bot)"` + "\n"
	assert.Equal(t, text+"OtherBot/1.0"+sent, told(named("OtherBot/1.0")))
	assert.Equal(t, text+`""`+sent, told(named("")))
	assert.Equal(t, text+"OtherBot"+sent, told(http.Header{"user-agent": {"OtherBot"}}))
	assert.Empty(t, told(named("ExampleBot/2.0")))
	assert.Empty(t, told(nil))
}

func TestUserAgentThatCannotBeUsed(t *testing.T) {
	const oneWord = ": write the name as one word of letters, digits, '-', '_' and '.', and a letter among them, then a slash and the version, as in \"ExampleBot/1.0 (+https://example.com/bot)\""
	const example = ": write it as in \"ExampleBot/1.0 (+https://example.com/bot)\""
	const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
	tests := []struct {
		userAgent string
		agents    []string
		problem   string
	}{
		{"my bot", nil, `polite: UserAgent "my bot" would name the crawler "my"` + oneWord},
		{"My Crawler/1.0 (+https://example.com/bot)", nil, `would name the crawler "My"` + oneWord},
		{"Area 51/1.0", nil, `would name the crawler "Area"`},
		{"123", nil, `polite: UserAgent "123" would name the crawler "123"` + oneWord},
		{"1.0", nil, `would name the crawler "1.0"`},
		{"-/1.0", nil, `would name the crawler "-"`},
		{"Mozilla/5.0 (compatible; 123/1.0)", nil, `would name the crawler "123"`},
		{"https://example.com/bot", nil, `polite: UserAgent "https://example.com/bot" would name the crawler "https"` + oneWord},
		{"http://example.com/bot ExampleBot", nil, `would name the crawler "http"`},
		{"bot@example.com", nil, `would name the crawler "bot"`},
		{"ExampleBot, by Example", nil, `would name the crawler "ExampleBot"`},
		{"my+bot/1.0", nil, `would name the crawler "my"`},

		{"/1.0", nil, `polite: UserAgent "/1.0" does not begin with the name of a crawler` + example},
		{"(compatible)", nil, "does not begin with the name of a crawler"},
		{"//example.com/bot", nil, "does not begin with the name of a crawler"},
		{"+https://example.com/bot", nil, "does not begin with the name of a crawler"},
		{"Mozilla", nil, "does not begin with the name of a crawler"},
		{"Mozilla/5.0 (compatible; my bot/1.0)", nil, "does not begin with the name of a crawler"},
		{"mozilla/5.0 (X11; Linux x86_64)", nil, "does not begin with the name of a crawler"},
		{browser, nil, `polite: UserAgent "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, l" does not begin with the name of a crawler`},

		{" ExampleBot/1.0", nil, `polite: UserAgent " ExampleBot/1.0" begins or ends with a space` + example},
		{"ExampleBot/1.0 ", nil, "begins or ends with a space" + example},
		{"ExampleBot ", nil, "begins or ends with a space" + example},
		{"ExampleBot/1.0\r\nCookie: a=b", nil, "has a control character" + example},
		{"ExampleBot/1.0 \x7f", nil, "has a control character" + example},
		{"Bötchen/1.0", nil, `UserAgent "Bötchen/1.0" has a character beyond ASCII, which not every site can read` + example},
		{"ExampleBot/1.0 (+https://exämple.com/bot)", nil, "has a character beyond ASCII"},
		{"ExampleBot/1.0 \xff", nil, "has a character beyond ASCII"},
		{"ExampleBot/1.0 (" + strings.Repeat("x", 1000) + ")", nil, "is longer than 1000 characters" + example},

		{browser, []string{"ExampleBot", "x", "Linu"}, "; if the name stands elsewhere in it, name it in Agents"},
		{"my bot", []string{"mybot"}, `would name the crawler "my"`},
		{"https://example.com/", []string{"ExampleBot"}, `would name the crawler "https"`},
		{"ExampleBot/1.0 ", []string{"ExampleBot"}, "begins or ends with a space"},

		{conduct.UserAgent, []string{"my bot"}, `polite: Agents[0] is "my bot", which is no product token: write letters, digits, '-', '_' and '.' alone, as in "ExampleBot"`},
		{conduct.UserAgent, []string{"https://example.com/bot"}, `Agents[0] is "https://example.com/bot", which is no product token`},
		{conduct.UserAgent, []string{"ExampleBot/1.0"}, "is no product token"},
		{conduct.UserAgent, []string{" ExampleBot"}, "is no product token"},
		{conduct.UserAgent, []string{"Bötchen"}, "is no product token"},
		{conduct.UserAgent, []string{"ExampleBot", "Example Bot"}, `Agents[1] is "Example Bot", which is no product token`},
		{conduct.UserAgent, []string{"*"}, `Agents[0] is "*"`},
		{conduct.UserAgent, []string{""}, `Agents[0] is ""`},
		{conduct.UserAgent, []string{}, "Agents is empty, but not nil"},
		{"", []string{"ExampleBot"}, `polite: UserAgent is empty: write who you are, as in "ExampleBot/1.0 (+https://example.com/bot)"`},
	}
	for _, test := range tests {
		transport := &polite.Transport{UserAgent: test.userAgent, Agents: test.agents, Base: unreachable(t)}
		u, sent := &url.URL{Scheme: "http", Host: "example.com"}, conduct.NewBody()
		_, err := transport.RoundTrip(&http.Request{Method: "POST", URL: u, Body: sent})
		assert.ErrorContains(t, err, test.problem, "%q %q", test.userAgent, test.agents)
		assert.NotErrorIs(t, err, polite.ErrRefused)
		assert.Less(t, len(err.Error()), 500)
		assert.EqualValues(t, 1, sent.Closed.Load(), "body closed")
		_, again := transport.Check(t.Context(), u)
		assert.Equal(t, err, again)
	}
}

func unreachable(t *testing.T) origintest.RoundTripper {
	return func(*http.Request) (*http.Response, error) {
		t.Error("a request is sent")
		return nil, http.ErrNotSupported
	}
}

func TestUserAgentThatCanBeUsed(t *testing.T) {
	tests := []struct {
		userAgent string
		agents    []string
		token     string
	}{
		{"ExampleBot", nil, "ExampleBot"},
		{"ExampleBot/1.0", nil, "ExampleBot"},
		{"ExampleBot/1.0 Go-http-client/1.1", nil, "ExampleBot"},
		{"ExampleBot (+https://example.com/bot)", nil, "ExampleBot"},
		{"ExampleBot(+https://example.com/bot)", nil, "ExampleBot"},
		{"ExampleBot - https://example.com/bot", nil, "ExampleBot"},
		{"ExampleBot +https://example.com/bot", nil, "ExampleBot"},
		{"MJ12bot/v1.4.8", nil, "MJ12bot"},
		{"360Spider", nil, "360Spider"},
		{"archive.org_bot", nil, "archive.org_bot"},
		{"Mozilla/5.0 (compatible; ExampleBot/1.0; +http://example.com/bot)", nil, "ExampleBot"},
		{"Mozilla/5.0 (compatible; M/1.0)", nil, "M"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ExampleBot/2.1; +http://example.com/bot) Chrome/140.0 Safari/537.36", nil, "ExampleBot"},
		{"Mozilla/5.0 (Macintosh) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (ExampleBot/0.1)", nil, "ExampleBot"},
		{"Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36 examplebot/1.0", []string{"ExampleBot"}, "ExampleBot"},
		{"my bot/1.0 (ExampleBot)", []string{"ExampleBot"}, "ExampleBot"},
		{"OtherBot/1.0", []string{"ExampleBot"}, "ExampleBot"},
		{"ExampleBot/1.0", []string{"008"}, "008"}, // which real files name
	}
	for _, test := range tests {
		web := origintest.New(t)
		web.Robots("example.com", origintest.Text("user-agent: "+test.token+"\ndisallow: /private\n"))
		transport := conduct.NewTransport(t, web)
		transport.UserAgent, transport.Agents = test.userAgent, test.agents
		client := &http.Client{Transport: transport}
		_, err := conduct.Get(client, "http://example.com/private")
		assert.ErrorIs(t, err, polite.ErrDisallowed, test.userAgent)
		_, err = conduct.Get(client, "http://example.com/public")
		assert.NoError(t, err, test.userAgent)
		for _, a := range web.Log() {
			assert.Equal(t, test.userAgent, a.Header.Get("User-Agent"))
		}
	}
}
