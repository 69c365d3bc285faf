package syntax

// A Kind is what a line is, by its key.
type Kind uint8

const (
	Other Kind = iota // a record whose key has no meaning here
	Allow
	Disallow
	UserAgent
	Sitemap
	CrawlDelay
	RequestRate
	ContentSignal // see ClassifyUsage
	ContentUsage  // see ClassifyUsage
)

// Kinds is the number of kinds.
const Kinds = ContentUsage + 1

// Classify returns the kind of line that has this key, or a usual slip for it.
func Classify(key []byte) Kind {
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
