package provenance_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/provenance"
	"github.com/stretchr/testify/assert"
)

// A price is what the site wrote, as far as it is short and can be shown.
func TestPrice(t *testing.T) {
	long := strings.Repeat("9", 60)
	for header, want := range map[string]provenance.Price{
		"USD 0.01":          {Text: "USD 0.01", Currency: "USD", Amount: "0.01"},
		" EUR 12 ":          {Text: "EUR 12", Currency: "EUR", Amount: "12"},
		"USD " + long:       {Text: "USD " + long, Currency: "USD", Amount: long},
		"USD " + long + "9": {Text: "USD " + long}, // one octet too many: an amount that is cut is another
		"usd 0.01":          {Text: "usd 0.01"},
		"USDC 0.01":         {Text: "USDC 0.01"},
		"0.01":              {Text: "0.01"},
		"USD":               {Text: "USD"},
		"USD  1":            {Text: "USD  1"},
		"USD -1":            {Text: "USD -1"},
		"USD .5":            {Text: "USD .5"},
		"USD 5.":            {Text: "USD 5."},
		"USD 1.2.3":         {Text: "USD 1.2.3"},
		"USD 1e9":           {Text: "USD 1e9"},
		"USD 1 per page":    {Text: "USD 1 per page"},
		"USD 0.01\x1b[2J":   {Text: `USD 0.01\x1b[2J`},
		"USD ٣":             {Text: "USD ٣"},
	} {
		price, ok := priceIn(http.Header{"Crawler-Price": {header, "USD 99"}})
		assert.True(t, ok, header)
		assert.Equal(t, want, price, header)
	}
	for _, header := range []http.Header{nil, {"Crawler-Price": nil}, {"Crawler-Price": {" "}}} {
		_, ok := priceIn(header)
		assert.False(t, ok, "%v", header)
	}
	for name, hostile := range origintest.Hostile() {
		price, _ := priceIn(http.Header{"Crawler-Price": {"USD 1" + strings.Repeat(hostile, 1000)}})
		assert.LessOrEqual(t, len(price.Text), 64*len(`\xff`), name)
		assert.NotContains(t, price.Text, hostile, name)
		assert.Empty(t, price.Currency, name)
	}
}

// priceIn returns the price of a 402 with a header.
func priceIn(header http.Header) (provenance.Price, bool) {
	return provenance.PriceOf(&http.Response{StatusCode: http.StatusPaymentRequired, Header: header})
}
