package redisfleet

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// numbers returns numbers as a lane has them.
func numbers(all ...int64) string {
	var text strings.Builder
	for _, n := range all {
		text.WriteString(string(binary.BigEndian.AppendUint64(nil, uint64(n))[1:]))
	}
	return text.String()
}

// The text of a lane is read as the scripts read it, and what makes no sense is damaged.
func TestTextOfALane(t *testing.T) {
	const now, s = int64(1_000_000_000_000), int64(1_000_000)
	const token = "12345678"
	hex := fmt.Sprintf("%x", token)
	start := func(over, gap, slack int64) string { return numbers(over, gap, slack) + token }
	more := func(ends, slots, waiting int64, rest ...string) string {
		return "!" + numbers(ends, slots, waiting) + strings.Join(rest, "")
	}
	slot := func(ends int64) string { return token + numbers(ends) }
	waits := strings.Repeat("w", waitSize)
	for _, tt := range []struct {
		name, text string
		want       Lane
	}{
		{"empty", "", Lane{Damaged: true}},
		{"too short", numbers(now)[1:], Lane{Damaged: true}},
		{"without a name", numbers(now), Lane{Damaged: true}},
		{"a name", numbers(now) + "=a", Lane{Name: "a"}},
		{"a host", numbers(now) + "~a", Lane{Name: "origin https://a:443"}},
		{"no tag", numbers(now) + "a", Lane{Damaged: true}},
		{"an hour ahead", numbers(now+3600*s) + "=a", Lane{Name: "a"}},
		{"from the future", numbers(now+3600*s+1) + "=a", Lane{Damaged: true}},
		{"a start", numbers(now) + start(now+5*s, 2*s, s) + "=a", Lane{Name: "a", Wait: 7 * time.Second, Starts: []Start{{hex, 4 * time.Second, 2 * time.Second, time.Second}}}},
		{"a start that has begun", numbers(now) + start(now+s, 2*s, s) + "=a", Lane{Name: "a", Wait: 3 * time.Second}},
		{"a start that is over", numbers(now) + start(now-3*s, 2*s, s) + "=a", Lane{Name: "a"}},
		{"two starts", numbers(now) + start(now+5*s, 2*s, 0) + start(now+2*s, 2*s, 0) + "=a", Lane{Name: "a", Wait: 7 * time.Second,
			Starts: []Start{{hex, 2 * time.Second, 2 * time.Second, 0}, {hex, 5 * time.Second, 2 * time.Second, 0}}}},
		{"the longest gap", numbers(now) + start(now, 30*24*3600*s, 0) + "=a", Lane{Name: "a", Wait: 30 * 24 * time.Hour}},
		{"a longer gap", numbers(now) + start(now, 30*24*3600*s+1, 0) + "=a", Lane{Name: "a", Damaged: true}},
		{"the longest slack", numbers(now) + start(now, 0, 24*3600*s) + "=a", Lane{Name: "a"}},
		{"a longer slack", numbers(now) + start(now, 0, 24*3600*s+1) + "=a", Lane{Name: "a", Damaged: true}},
		{"the furthest start", numbers(now) + start(now+(61*24+1)*3600*s, 0, 24*3600*s) + "=a", Lane{Name: "a", Wait: (61*24 + 1) * time.Hour, Starts: []Start{{hex, 61*24*time.Hour - 23*time.Hour, 0, 24 * time.Hour}}}},
		{"a start that is further", numbers(now) + start(now+(61*24+1)*3600*s+1, 0, 0) + "=a", Lane{Name: "a", Damaged: true}},
		{"an old start that makes no sense", numbers(now) + start(now+s, 0, 0) + start(now, 30*24*3600*s+1, 0) + "=a", Lane{Name: "a", Wait: time.Second, Starts: []Start{{hex, time.Second, 0, 0}}}},
		{"a break", numbers(now) + more(now+9*s, 0, 0) + "=a", Lane{Name: "a", Wait: 9 * time.Second, Break: 9 * time.Second}},
		{"a break that is over", numbers(now) + more(now, 0, 0) + "=a", Lane{Name: "a"}},
		{"a break before a start", numbers(now) + more(now+s, 0, 0) + start(now+5*s, 2*s, s) + "=a", Lane{Name: "a", Wait: 7 * time.Second, Break: time.Second, Starts: []Start{{hex, 4 * time.Second, 2 * time.Second, time.Second}}}},
		{"the longest break", numbers(now) + more(now+25*3600*s, 0, 0) + "=a", Lane{Name: "a", Wait: 25 * time.Hour, Break: 25 * time.Hour}},
		{"a longer break", numbers(now) + more(now+25*3600*s+1, 0, 0) + "=a", Lane{Name: "a"}},
		{"slots", numbers(now) + more(0, 3, 0, slot(now+s), slot(now), slot(now+25*3600*s+1)) + "=a", Lane{Name: "a", Slots: []Slot{{hex, time.Second}}}},
		{"a queue", numbers(now) + more(0, 1, 2, slot(now+25*3600*s), waits, waits) + "=a", Lane{Name: "a", Queue: 2, Slots: []Slot{{hex, 25 * time.Hour}}}},
		{"more slots than there are", numbers(now) + more(0, 2, 0, slot(now)) + "=a", Lane{Damaged: true}},
		{"a longer queue than there is", numbers(now) + more(0, 1, 2, slot(now), waits) + "=a", Lane{Damaged: true}},
		{"more that is cut", numbers(now) + more(0, 0, 0)[:moreSize-1], Lane{Damaged: true}},
		{"more, and no name", numbers(now) + more(0, 0, 0), Lane{Damaged: true}},
	} {
		tt.want.Key, tt.want.Bytes = "key", len(tt.text)
		assert.Equal(t, tt.want, laneOf("key", tt.text, now), tt.name)
	}
}

// The head of an entry says when it was put, until when it is kept, and who fetches.
func TestTextOfAnEntry(t *testing.T) {
	const now, s = int64(1_000_000_000_000), int64(1_000_000)
	token := strings.Repeat("T", 26)
	text := func(put, gone, ends int64, name string) string {
		return fmt.Sprintf("%016d%016d%s%016d%s\n%s", put, gone, strings.Repeat("v", 26), ends, token, name)
	}
	for _, tt := range []struct {
		name, text string
		want       Entry
	}{
		{"kept", text(now-s, now+s, 0, "octets"), Entry{Kept: true, Age: time.Second}},
		{"gone", text(now-s, now, 0, "octets"), Entry{}},
		{"put ahead", text(now+s, now+9*s, 0, ""), Entry{Kept: true, Age: -time.Second}},
		{"a claim", text(0, 0, now+s, "a key"), Entry{Name: "a key", Claim: time.Second, Token: token}},
		{"a claim that is over", text(0, 0, now, "a key"), Entry{Name: "a key"}},
		{"the longest claim", text(0, 0, now+25*3600*s, "a key"), Entry{Name: "a key", Claim: 25 * time.Hour, Token: token}},
		{"a longer claim", text(0, 0, now+25*3600*s+1, "a key"), Entry{Name: "a key"}},
		{"too short", text(0, 0, 0, "")[:entryHead-1], Entry{Damaged: true}},
		{"no number", strings.Replace(text(0, 0, now+s, "a key"), "0", "x", 1), Entry{Damaged: true, Claim: time.Second, Token: token}},
		{"kept till no number", "0000000000000001x" + text(0, 0, 0, "")[17:], Entry{Damaged: true}},
		{"a claim till no number", text(1, now+s, 0, "")[:58] + "x" + text(1, now+s, 0, "")[59:], Entry{Damaged: true, Kept: true, Age: time.Duration(now-1) * time.Microsecond}},
	} {
		tt.want.Key, tt.want.Bytes = "key", len(tt.text)
		assert.Equal(t, tt.want, entryOf("key", tt.text, len(tt.text), now), tt.name)
	}
}
