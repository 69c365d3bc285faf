package match

// A Section is the rules of one group: Table.Rules[First:End].
type Section struct{ First, End uint32 }

// A Table is rules, each with its tag, and the text that their patterns are in:
//
//	Rules   │ /admin/ │ /*.php$ │ /     │ /news     │  size, allow, line, where in text
//	Tags    │ "ad"    │ *".p"   │ –     │ "ne"      │  two octets that it takes
//	Text    │ */admin//*.php$/googlebot/newsSitemaphttps://example.com/s.xml
//
// Most rules that cannot match are ruled out by their tag, without a look at their text.
type Table struct {
	Rules []Rule // by group
	Tags  []Tag  // with room for three more, so that four can be read at each position
	Text  Text
}

// Pattern returns the pattern of a rule, in normal form.
func (t *Table) Pattern(r Rule) string { return t.Text.Part(r.Pattern()) }

// Literal returns the text of a rule before its first wildcard or its anchor.
func (t *Table) Literal(r Rule) string { return t.Text.Literal(r) }
