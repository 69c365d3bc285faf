package verb

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// The topics of help that are no verbs.
const (
	GuideTopic = "robots.txt"
	UsageTopic = "usage" // what sites say about the use of their pages
)

// Find returns the verb of a name. If there is none, the error says what may have
// been meant.
func Find(verbs []Verb, name string) (Verb, error) {
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	for _, v := range verbs {
		if v.Name == name {
			return v, nil
		}
	}
	return Verb{}, unknown(verbs, Shown(name))
}

// unknown returns the error for a name that no verb has.
func unknown(verbs []Verb, name string) error {
	hint := `"polite help" lists the commands.`
	if strings.Contains(name, "://") {
		hint = fmt.Sprintf("To fetch a page, write: polite get %s", name)
	} else if strings.HasSuffix(name, GuideTopic) {
		hint = fmt.Sprintf(`"polite help robots.txt" is a guide to the language, "polite lint %s" checks a file.`, name)
	} else if meant := meantVerb(verbs, name); meant != "" {
		hint = fmt.Sprintf("Did you mean %q? %s", meant, hint)
	}
	return misuse{fmt.Errorf("unknown command %q", name), printable.Text(hint)}
}
