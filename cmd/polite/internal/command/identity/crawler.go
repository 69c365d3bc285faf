// Package identity writes what the owner of a crawler publishes about it: a page for those who
// run sites, and the addresses that its requests come from.
package identity

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/identity"
)

// A Crawler is what its owner says of it.
type Crawler struct {
	UserAgent string
	Owner     string
	Purpose   string // what it does with pages, in a sentence or more
	Contact   string // a mail address, or a URL

	Ranges   Ranges
	RangesAt string // the URL where the Ranges are published; "" if they are not
	KeysAt   string // the origin that publishes keys for Web Bot Auth; "" if none does
}

// Name returns the product token of c, or an error if its User-Agent is of no use.
func (c *Crawler) Name() (string, error) {
	tokens, err := identity.Tokens(c.UserAgent, nil)
	if err != nil {
		return "", errors.New("-A: " + strings.TrimPrefix(err.Error(), "polite: "))
	}
	return tokens[0], nil
}

// List returns the Ranges of c as it publishes them: see [Ranges.JSON].
func (c *Crawler) List(now time.Time) ([]byte, error) {
	name, err := c.Name()
	if err != nil {
		return nil, err
	}
	return c.Ranges.JSON(name, now)
}

// check returns an error if c says too little for a page, or something that is of no use.
func (c *Crawler) check() error {
	for _, need := range []struct{ flag, text, example string }{
		{"--owner", c.Owner, "the name of a company or a person"},
		{"--purpose", c.Purpose, `a sentence, such as "It finds recipes for a search engine."`},
		{"--contact", c.Contact, "a mail address, or a URL"},
	} {
		if strings.TrimSpace(need.text) == "" {
			return fmt.Errorf("%s is missing: give %s", need.flag, need.example)
		}
	}
	if _, err := c.contactURL(); err != nil {
		return err
	}
	if c.RangesAt != "" && !isHTTPS(c.RangesAt) {
		return fmt.Errorf("--addresses-at: %.100q is no https URL: write one like https://example.com/bot/addresses.json", c.RangesAt)
	}
	if c.KeysAt != "" && (!isHTTPS(c.KeysAt) || strings.Count(c.KeysAt, "/") > 2) {
		return fmt.Errorf("--keys-at: %.100q is no origin: write one like https://bot.example.com", c.KeysAt)
	}
	return nil
}

// contactURL returns the Contact as a link.
func (c *Crawler) contactURL() (string, error) {
	if isHTTPS(c.Contact) {
		return c.Contact, nil
	}
	if address, err := mail.ParseAddress(c.Contact); err == nil && address.Address == c.Contact {
		return (&url.URL{Scheme: "mailto", Opaque: url.PathEscape(c.Contact)}).String(), nil
	}
	return "", errors.New("--contact is neither a mail address nor an https URL: write bot@example.com, for example")
}

func isHTTPS(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil
}
