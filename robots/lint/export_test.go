package lint

import "iter"

// Bodies returns the files in which a check finds something.
func Bodies() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range all {
			for _, body := range append(examples[c].finds, c.example) {
				if !yield(expand(body)) {
					return
				}
			}
		}
	}
}

// Steps returns the number of steps that comparing the rules of a file takes.
func Steps(body []byte) int {
	l := linter{body: body, most: 100}
	l.lint()
	return l.steps
}
