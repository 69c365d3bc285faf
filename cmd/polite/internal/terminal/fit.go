package terminal

import "unicode/utf8"

// fit returns text in at most width columns. It cuts what is longer.
func fit(text string, width int) string {
	const cut = "..."
	column, end := 0, 0 // end is where the cut would be
	for i, r := range text {
		if column <= width-len(cut) {
			end = i
		}
		if column += columns(r); column > width {
			return text[:end] + cut[:max(0, min(len(cut), width))]
		}
	}
	return text
}

// columns returns how many columns a printable character takes at most. Terminals differ
// for those that are not ASCII.
func columns(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return 2
}
