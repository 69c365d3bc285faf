package usage

import "fmt"

// A Use is something that can be done with a page once it is fetched. A site may name other uses than
// the constants. They are kept as the site writes them.
type Use string

const (
	// Search is to find pages for people, and to show links to them with short excerpts.
	Search Use = "search"
	// AIInput is to give a page to a model while it answers. Content-Usage calls it ai-use.
	AIInput Use = "ai-input"
	// TrainAI is to train a model. Content-Signal calls it ai-train.
	TrainAI Use = "train-ai"
	// TDM is text and data mining of any kind, as tdm-reservation has it.
	TDM Use = "tdm"

	// Immediate is to use a page once, and to store nothing of it. Content-Signal says how
	// far a use may go by one of three levels: use=immediate, use=reference, use=full. It
	// says yes to this level and those below, and no to those above.
	Immediate Use = "immediate"
	// Reference is to store a page in an index, and to show excerpts with a link to it.
	Reference Use = "reference"
	// Full is to store a page, to summarize it, or to reproduce it.
	Full Use = "full"
)

// levels are the values of the label "use" of Content-Signal, from the least to the most.
var levels = []Use{Immediate, Reference, Full}

// useOf returns the use of a label. Of the labels that have two names, Content-Signal has
// ai-train and ai-input (draft-romm-aipref-contentsignals-00), and Content-Usage has train-ai
// and ai-use (draft-ietf-aipref-vocab-08 §6.1). Only this function knows the second names.
func useOf(label string) Use {
	switch label {
	case "ai-train":
		return TrainAI
	case "ai-use":
		return AIInput
	}
	return Use(label)
}

// Canonical returns the one name by which this package knows a use that has two:
// [TrainAI] for "ai-train", and [AIInput] for "ai-use". It returns any other use as it is.
func (u Use) Canonical() Use { return useOf(string(u)) }

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
