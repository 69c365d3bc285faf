package reserve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/status"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// ask asks the site of u. It returns what came as an entry of a Store: an answer, or a
// failure. The error is the one that ended the request, if there is one.
func ask(ctx context.Context, client *http.Client, u *url.URL) (*entry.Entry, error) {
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/.well-known/tdmrep.json"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return failure(err), err
	}
	resp, err := client.Do(req)
	if err != nil {
		return failure(err), err
	}
	defer resp.Body.Close()
	came := &entry.Answer{Status: resp.StatusCode, MaxAge: fetch.MaxAge(resp.Header)}
	switch file := status.Of(came.Status).File; {
	case came.Status == http.StatusPartialContent && !fetch.IsWhole(resp.Header):
		err = fetch.ErrPart
	case file == status.Content:
		came.Body, err = io.ReadAll(io.LimitReader(resp.Body, robots.MaxSize+1))
		if err == nil && len(came.Body) > robots.MaxSize {
			err = errors.New("polite: the tdmrep.json is too long")
		}
	case !file.Exists():
		err = fmt.Errorf("polite: the site has answered %d for its tdmrep.json", came.Status)
	}
	if err != nil {
		return failure(err), err
	}
	return &entry.Entry{Answer: came}, nil
}

func failure(err error) *entry.Entry {
	return &entry.Entry{Failure: &entry.Failure{Tries: 1, Err: err.Error()}}
}

// afterError is how long a site is not asked after it has failed.
const afterError = time.Minute

// holds returns how long an answer is of use: as long as one for robots.txt. If came is nil,
// the site has failed.
func holds(came *entry.Answer) time.Duration {
	switch {
	case came == nil:
		return afterError
	case came.MaxAge < 0:
		return known.MaxAge
	default:
		return min(max(came.MaxAge, known.MinAge), known.MaxAge)
	}
}

// said returns what an answer says. A page that says that there is no such file says nothing.
func said(came *entry.Answer) (r usage.Reservations) {
	if came != nil && came.Status/100 == 2 {
		r, _ = usage.ParseReservations(came.Body)
	}
	return r
}
