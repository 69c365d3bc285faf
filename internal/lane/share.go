package lane

import "time"

// Processes share the ceiling of a lane: see Lanes.WantsShare. A process takes no share while it has one
// request at a time under way.

// ceiling returns how many requests by terms may be unanswered in this process; 0 is any number.
func (l *lane) ceiling(terms Terms) int {
	switch all, n := terms.Ceiling, int(l.sharers); {
	case !terms.Shares || all <= 0:
		return all
	case n == 0: // others do not know of this one yet
		return 1
	case int(l.rank) < all%n:
		return all/n + 1
	default:
		return max(all/n, 1)
	}
}

// share asks for a share of the ceiling of key if a request by terms needs one.
func (ls *Lanes[K]) share(key K, l *lane, terms Terms, now time.Time) {
	if ls.WantsShare != nil && l.wantsShare(terms, now) {
		ls.WantsShare(key)
	}
}

// wantsShare reports whether to ask for a share: a request comes while another is under way, or waits. It does so
// once a second at most.
func (l *lane) wantsShare(terms Terms, now time.Time) bool {
	if !terms.Shares || terms.Ceiling <= 1 || terms.Slots > 0 {
		return false
	}
	second := uint16(l.limit.at(now)/time.Second) + 1
	if under, _ := l.bound(terms); under+l.line.length == 0 || second == l.wantedIn {
		return false
	}
	l.wantedIn = second
	return true
}

// Share says how many processes share the ceiling of key, and the rank of this one among them. If there are
// none, the others do not know of this process.
func (ls *Lanes[K]) Share(key K, sharers, rank int) {
	l := ls.lane(key, ls.hash(key), false)
	if l == nil {
		return
	}
	defer l.mu.Unlock()
	was := [...]uint8{l.sharers, l.rank}
	l.sharers, l.rank = uint8(min(sharers, 255)), uint8(min(rank, 255))
	if was != [...]uint8{l.sharers, l.rank} {
		l.wake()
	}
}
