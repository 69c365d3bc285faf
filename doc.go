// Package polite makes an http.Client obey robots.txt. One line does it:
//
//	client = polite.Wrap(client, "ExampleBot/1.0 (+https://example.com/bot)")
//
// From then on, a request that the site disallows for ExampleBot fails with a
// [DisallowedError] before it leaves the process. The same holds for each hop of
// a redirect, and for every method.
//
// # How it works
//
// A [Transport] is an http.RoundTripper around another. Before the first request
// to an origin (scheme, host and port) it asks that for its robots.txt, once,
// however many requests are waiting, and keeps the answer. Every request is then
// judged by the rules for the crawler's product token, as RFC 9309 and Google's
// published interpretation have it; package [robots] documents them.
//
// An origin without robots.txt (4xx) allows everything. Of one whose robots.txt
// cannot be had (5xx, no answer, a body cut short) nobody knows what it wants:
// requests to it fail with an [NoRulesError]. A [Policy] can say otherwise.
//
// A [Cache] keeps what is known of an origin and asks again in time, so that
// requests seldom wait for it; while an origin is down, the last good copy of its
// rules counts.
//
// Requests to an origin take turns, in order of arrival and at the distance that
// its crawl-delay asks for. A [Pace] sets the limits. A request whose turn would
// come too late for its context fails at once, with a [DelayError].
//
// # Errors
//
// Every refusal is [ErrRefused], also through the *url.Error that http.Client
// wraps around it. Its kind tells what to do:
//
//	resp, err := client.Get(url)
//	switch {
//	case errors.Is(err, polite.ErrDisallowed): // a rule: leave the page alone
//	case errors.Is(err, polite.ErrNoRules): // robots.txt could not be fetched: try again later
//	case errors.Is(err, polite.ErrDelayed): // not its turn: try again later
//	}
//
// [DisallowedError], [NoRulesError] and [DelayError] say which rule, and when.
package polite
