package usage

import "fmt"

// A Use is something that can be done with a page once it is fetched. A site may name
// others than the constants; they are kept as the site writes them.
type Use string

const (
	// Search is to find pages for people, and to show links to them with short excerpts.
	Search Use = "search"
	// AIInput is to give a page to a model while it answers. Only Content-Signal knows it.
	AIInput Use = "ai-input"
	// TrainAI is to train a model. Content-Signal calls it ai-train.
	TrainAI Use = "train-ai"
	// TDM is text and data mining of any kind, as tdm-reservation has it.
	TDM Use = "tdm"
)

// useOf returns the use of a label: the two names of TrainAI are one use.
func useOf(label string) Use {
	if label == "ai-train" {
		return TrainAI
	}
	return Use(label)
}

// A Preference is what a site says about a use. The greater of two is the more
// restrictive. NotStated is not No: the site has said nothing.
type Preference uint8

const (
	NotStated Preference = iota
	Yes
	No
)

// String returns "not stated", "yes" or "no".
func (p Preference) String() string {
	switch p {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "not stated"
}

// MarshalText returns what [Preference.String] returns.
func (p Preference) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what [Preference.String] returns. It returns an error for any other
// text.
func (p *Preference) UnmarshalText(text []byte) error {
	for _, known := range []Preference{NotStated, Yes, No} {
		if string(text) == known.String() {
			*p = known
			return nil
		}
	}
	return fmt.Errorf("usage: %.40q is no preference: write yes, no or not stated", text)
}
