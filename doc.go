// Package polite makes an http.Client obey robots.txt. One line does it:
//
//	client = polite.Wrap(client, "ExampleBot/1.0 (+https://example.com/bot)")
//
// From then on, a request that the site disallows for ExampleBot fails with a
// [DisallowedError], and is not sent. This holds for every method, and for each hop
// of a redirect.
//
// # How it works
//
// A [Transport] is an http.RoundTripper around another one. It takes each request
// through four steps:
//
//   - It finds the origin of the request: the scheme, the host and the port.
//   - It judges the request by the origin's robots.txt. If the Transport does not know
//     this file yet, it asks for it. It asks once, even if many requests wait. The
//     rules come from RFC 9309 and from Google's published interpretation. Package
//     [robots] documents them.
//   - It waits for the turn of the request. Requests to an origin take turns in the
//     order in which they came. Between two there is the gap that the site's
//     crawl-delay asks for.
//   - It sends the request. It learns from the answer when the next one may follow.
//
// A [Policy] says what happens if there is no robots.txt, or if it could not be
// fetched. By default, an origin without a robots.txt (404, for example) allows
// everything. If robots.txt could not be fetched (5xx, no answer, a body that is cut
// short), requests fail with a [NoRulesError].
//
// A [Pace] says how requests take turns. If the turn of a request would come too late
// for its context, the request fails at once with a [DelayError]. Transport.Sites gives
// some sites a Pace of their own: package sites has a table for it.
//
// A [Cache] keeps the answers of origins, and the turns. It asks again before an answer
// expires, so requests seldom wait for a new one. While an origin is down, its last
// good rules apply. If it has a [Store], it remembers all this when the process ends:
// package boltstore keeps it in a file.
//
// # Errors
//
// Every refusal is [ErrRefused], also inside the *url.Error that http.Client returns.
// Its kind tells what to do:
//
//	resp, err := client.Get(url)
//	switch {
//	case errors.Is(err, polite.ErrDisallowed): // a rule disallows it: leave the page alone
//	case errors.Is(err, polite.ErrNoRules): // there are no rules to go by: try again later
//	case errors.Is(err, polite.ErrDelayed): // its turn would come too late: try again later
//	case errors.Is(err, polite.ErrUse): // the site says no to one of Policy.Purposes
//	}
//
// [DisallowedError], [NoRulesError], [DelayError] and [UseError] say what decided, and
// when to try again.
package polite
