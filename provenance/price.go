package provenance

import (
	"net/http"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// A Price is what a site asks for a page.
type Price struct {
	Text     string // what the site wrote, the first 64 octets of it, made printable
	Currency string // "USD"; "" if the site did not write a price like "USD 0.01"
	Amount   string // "0.01", in decimal digits; "" if Currency is
}

const maxPrice = 64 // octets

// PriceOf returns the price that a response of 402 asks for in its header crawler-price. ok is false if
// the response asks for no price, or if resp is nil. polite never pays.
func PriceOf(resp *http.Response) (p Price, ok bool) {
	if resp == nil || resp.StatusCode != http.StatusPaymentRequired {
		return p, false
	}
	text := strings.Trim(resp.Header.Get("Crawler-Price"), " \t")
	if text == "" {
		return p, false
	}
	if len(text) > maxPrice {
		return Price{Text: printable.Text(text[:maxPrice])}, true
	}
	p.Text = printable.Text(text)
	if currency, amount, _ := strings.Cut(text, " "); isCurrency(currency) && isDecimal(amount) {
		p.Currency, p.Amount = currency, amount
	}
	return p, true
}

// isCurrency reports whether s has the form of a code of ISO 4217.
func isCurrency(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isDecimal reports whether s is digits, with a point among them or without.
func isDecimal(s string) bool {
	whole, part, point := strings.Cut(s, ".")
	return isDigits(whole) && (!point || isDigits(part))
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
