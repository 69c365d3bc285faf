package agent

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostRequest is how many octets a request of a client may have.
const mostRequest = 1 << 20

// Handler serves a server over HTTP (MCP's "streamable HTTP", without sessions). If token is
// not "", each request must carry it: "Authorization: Bearer token".
//
// A page in a browser cannot use it: requests of another origin are refused, and so are those
// that reach an address of this machine under another name than localhost, as after DNS
// rebinding.
func Handler(server *mcp.Server, token string) http.Handler {
	serving := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: mostRequest},
	)
	return http.NewCrossOriginProtection().Handler(locked(waited(serving), token))
}

// waiterKey is the key of a call's context for the context of the client that waits for it.
type waiterKey struct{}

// waited lets a call know whether its client still waits: the SDK ends no call of one that has
// hung up.
func waited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), waiterKey{}, r.Context())))
	})
}

// whileWaited returns a context that ends with ctx, after a time, or when the client hangs up.
func whileWaited(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, most)
	if waiter, ok := ctx.Value(waiterKey{}).(context.Context); ok {
		context.AfterFunc(waiter, cancel) // which ends with the request, at the latest
	}
	return ctx, cancel
}

// locked lets requests with the token through.
func locked(next http.Handler, token string) http.Handler {
	if token == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || !verb.SameSecret(given, token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "this server needs a token: Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
