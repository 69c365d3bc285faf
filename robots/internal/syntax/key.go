package syntax

// A Key is what the key of a line makes of that line.
type Key uint8

const (
	Other Key = iota // a record that the language does not know
	Allow
	Disallow
	UserAgent
	Sitemap
	CrawlDelay
	RequestRate
)

// Keys is the number of values that a Key has.
const Keys = RequestRate + 1

// Classify returns the Key that a line's key is, or is a usual slip for.
func Classify(key []byte) Key {
	var folded [len("request-rate")]byte
	if len(key) > len(folded) {
		return Other
	}
	for i, c := range key {
		folded[i] = Lower(c)
	}
	switch string(folded[:len(key)]) {
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		return Disallow
	case "allow":
		return Allow
	case "user-agent", "useragent", "user agent":
		return UserAgent
	case "sitemap", "site-map":
		return Sitemap
	case "crawl-delay":
		return CrawlDelay
	case "request-rate":
		return RequestRate
	}
	return Other
}
