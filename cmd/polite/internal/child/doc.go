// Package child runs a command so that what it fetches goes through a proxy: it sets the
// variables by which programs find a proxy and the certificates to trust, stands in for
// browsers, passes signals on, and returns the exit status. In a room of its own, the command
// has no network but the proxy.
package child
