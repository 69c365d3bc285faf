package playground

// A Log is requests in the order in which they arrived.
type Log []Arrival

// An Arrival is a request as the server saw it.
type Arrival struct {
	Method, URL string
	Status      int // of the answer
}

// Only returns the requests that are wanted.
func (l Log) Only(want func(Arrival) bool) Log {
	var kept Log
	for _, a := range l {
		if want(a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// URLs returns the number of different URLs that were asked for.
func (l Log) URLs() int {
	urls := make(map[string]bool)
	for _, a := range l {
		urls[a.URL] = true
	}
	return len(urls)
}
