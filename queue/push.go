package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// Push adds a URL, which must be absolute and of http or https. It may be called at any time, also by
// the handler. If equal URLs are pushed, each is fetched: see PushNew. The error is ErrBudget if q.Most allows
// no more.
func (q *Queue[T]) Push(rawURL string, value T) error {
	_, err := q.push(task[T]{URL: rawURL, Value: value}, false)
	return err
}

// PushNew is Push for a URL that PushNew has not added before, and reports whether it has added it. Two URLs
// are the same if their origins are (RFC 9309 §2.3: scheme, host and port) and their paths and queries, however
// they are spelled (%7e is ~). The fragment does not count.
//
// For this the queue keeps ten to twenty octets of each URL, for as long as it lives. The chance that it takes a
// new URL for a known one is one in 2⁶³ for each that it knows: of a billion URLs, none is lost but in one of
// twenty crawls.
func (q *Queue[T]) PushNew(rawURL string, value T) (added bool, err error) {
	return q.push(task[T]{URL: rawURL, Value: value}, true)
}

// PushAgain is Push for an item that was answered badly. The Tries of the next one is higher by one, so that a
// handler can stop. It takes nothing from Budget.Pages and Budget.Shape.
func (q *Queue[T]) PushAgain(item Item[T]) error {
	_, err := q.push(task[T]{URL: item.URL, Value: item.Value, way: &way{again: item.Tries + 1}}, false)
	return err
}

// Gone reports whether PushNew has added a URL that was answered by 404 or 410: the page does not exist.
func (q *Queue[T]) Gone(rawURL string) bool {
	u, err := parse(rawURL)
	if err != nil || q.load() != nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known.isGone(digest(u))
}

// push adds a task, and reports whether it does: if once, not if PushNew has added its URL before.
func (q *Queue[T]) push(t task[T], once bool) (added bool, err error) {
	u, err := parse(t.URL)
	if err == nil {
		err = q.load()
	}
	if err != nil {
		return false, err
	}
	line, err := q.line(&t)
	if err != nil {
		return false, err
	}
	key, of := q.key(u, t.URL), uint64(0)
	if once {
		of = digest(u)
	}
	added, full, err := q.add(key, u, of, t, line)
	if full {
		err = q.save(context.Background())
	}
	return added, err
}

// add is push for a task in the lane of key, with a digest that is 0 if it may be added again. It also reports
// whether the changes are to be written.
func (q *Queue[T]) add(key string, u *url.URL, digest uint64, t task[T], line []byte) (added, full bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if digest != 0 && q.known.has(digest) {
		return false, false, nil
	}
	if t.way == nil { // else it was taken before
		if err := q.spend(key, u); err != nil {
			return false, false, err
		}
	}
	if digest != 0 {
		q.know(digest)
	}
	q.last++
	t.number = q.last
	q.note(keyOf(ofItem, t.number), line)
	q.put(key, t)
	return true, len(q.changes) >= mostChanges, nil
}

// put adds a task with the highest number to the lane of key. q.mu is locked.
func (q *Queue[T]) put(key string, t task[T]) {
	q.left++
	l := q.lane(key)
	l.tasks = append(l.tasks, t) // the last of the pile
	q.offer(l)
}

// parse returns the URL of a page.
func parse(rawURL string) (*url.URL, error) {
	u, err := url.Parse(rawURL)
	switch {
	case strings.TrimSpace(rawURL) != rawURL:
		return nil, errors.New("queue: the URL begins or ends with white space: remove it by strings.TrimSpace")
	case err != nil:
		return nil, fmt.Errorf("queue: %w: write it as in https://example.com/a%%20b", err)
	case u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("queue: %.100q is not the URL of a page: write it as in https://example.com/", u.Redacted())
	case !isPort(u.Port()):
		return nil, fmt.Errorf("queue: %.100q has a port that does not exist: the highest is 65535", u.Redacted())
	case strings.Contains(rawURL, " "):
		return nil, fmt.Errorf("queue: %.100q has a space: remove it, or write %%20", strings.ReplaceAll(u.Redacted(), "%20", " "))
	}
	return u, nil
}

// isPort reports whether the port of a URL exists. "" is the usual one.
func isPort(port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil
}

// key returns the lane of u. It shares the memory of text, which u was parsed from, if it can.
func (q *Queue[T]) key(u *url.URL, text string) string {
	if q.Key != nil {
		return q.Key(u)
	}
	key := originOf(u)
	if strings.HasPrefix(text, key) {
		return text[:len(key)]
	}
	return key
}

// originOf returns the origin of u in its one spelling.
func originOf(u *url.URL) string {
	o, err := origin.OfURL(u)
	if err != nil { // no request can be sent there
		return u.Scheme + "://" + u.Host
	}
	return o.String()
}
