package storetest

import (
	"math"
	"slices"
	"strings"
	"time"
)

// oddNames returns names that an engine may take for something else, or for each other.
func oddNames() []string {
	long := strings.Repeat("k", 4<<10)
	return []string{
		"", " ", "  ", "\x00", "\x00\x00", "\n", "a\n", "a\r\n", "a", "A", "aa", "a\x00", "a\x00a", "a ", " a",
		"{}x}", "{}", "{a}", "{a}b", "{a}c", "}{", "a:b", "a/b", "../a", "a%00", "%s", "*", "?", "[a]", "'", `"`, `\`, "a;b", "0", "-1",
		"é", "e\u0301", "\u2028", "\xff", "\xff\xfe", "\xc3", "nil", "http://example.org:80", "http://example.org:8",
		long, long + "k", long + "a", "a" + long,
	}
}

// oddEntries returns entries that an engine may change.
func oddEntries() [][]byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return [][]byte{
		{}, {0}, []byte("\n"), []byte("nil"), []byte("%s {} \r\n"), all,
		slices.Repeat(all, 1<<12), // 1 MiB
	}
}

// oddNumbers returns numbers that nobody should send.
func oddNumbers() []time.Duration {
	return []time.Duration{math.MinInt64, -long, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
}
