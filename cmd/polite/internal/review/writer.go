package review

import (
	"io"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
)

// A Writer tells what changes by a comparison. Make one with [NewWriter].
type Writer struct {
	out      io.Writer
	form     Form
	by       *compare.Comparison
	listed   bool // the verdicts are on the URLs of a list
	bundles  compare.Bundles
	verdicts int
	affected map[string]bool // the crawlers for which a verdict changes
}

// NewWriter returns a Writer to out. If listed is true, the verdicts are on the URLs of a list, and many may be
// told together.
func NewWriter(out io.Writer, form Form, by *compare.Comparison, listed bool) *Writer {
	return &Writer{out: out, form: form, by: by, listed: listed, affected: make(map[string]bool)}
}

// Begin writes what is before all verdicts: the headlines of the invented ones.
func (w *Writer) Begin(invented []compare.Verdict) error {
	text := w.form.Head
	if w.form.Title != nil {
		for _, h := range w.by.Headlines(invented) {
			text += w.form.Title(h)
		}
		if text != "" {
			text += "\n"
		}
	}
	return w.write(text)
}

// Tell tells verdicts that change, or keeps them for End.
func (w *Writer) Tell(verdicts []compare.Verdict) error {
	for _, v := range verdicts {
		w.verdicts++
		for _, name := range v.Crawlers {
			w.affected[name] = true
		}
		if w.listed && w.form.Bundles {
			w.bundles.Add(v)
		} else if err := w.write(w.form.Verdict(v)); err != nil {
			return err
		}
	}
	return nil
}

// End tells what was kept and what else changes, and returns how much all of it is. The invented verdicts say
// which rules have an effect.
func (w *Writer) End(invented []compare.Verdict) (Totals, error) {
	for _, v := range w.bundles.Verdicts() {
		if err := w.write(w.form.Verdict(v)); err != nil {
			return Totals{}, err
		}
	}
	others := Others(w.by, invented)
	t := Totals{w.verdicts, len(w.affected), w.by.Count(), len(others), w.bundles.Rest()}
	var b strings.Builder
	for _, other := range others {
		b.WriteString(w.form.Other(other))
	}
	text := b.String()
	if w.verdicts == 0 {
		text = strings.TrimPrefix(text, "\n")
	}
	if w.form.Between != nil {
		text = w.form.Between(t) + text
	}
	return t, w.write(text)
}

func (w *Writer) write(text string) error {
	_, err := io.WriteString(w.out, text)
	return err
}
