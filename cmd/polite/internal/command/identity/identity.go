// Package identity writes what the owner of a crawler publishes about it: a page for those who
// run sites, and the addresses that its requests come from.
package identity

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/identity"
	"github.com/go-polite/polite/webbotauth"
	"github.com/spf13/cobra"
)

// Verb returns "polite identity".
func Verb(std verb.Streams) *cobra.Command {
	var crawler Crawler
	asJSON := false
	c := &cobra.Command{
		Use: "identity", Short: "write the page of a crawler of your own",
		RunE: func(*cobra.Command, []string) error {
			write := crawler.Page
			if asJSON {
				write = func() ([]byte, error) { return crawler.List(time.Now()) }
			}
			text, err := write()
			if err != nil {
				return verb.Misused("identity", err)
			}
			_, err = std.Out.Write(text)
			return err
		},
	}
	flags := c.Flags()
	flags.StringVarP(&crawler.UserAgent, "agent", "A", "", "the `user-agent` that it sends, as in \"ExampleBot/1.0 (+https://example.com/bot)\"")
	flags.StringVar(&crawler.Owner, "owner", "", "whose it is: the `name` of a company or a person")
	flags.StringVar(&crawler.Contact, "contact", "", "a mail `address` or an https URL, for who has trouble")
	flags.StringVar(&crawler.Purpose, "purpose", "", "what it does with pages: a `text` of a sentence or more")
	flags.StringVar(&crawler.RangesAt, "addresses-at", "", "the `URL` where the list of addresses is published")
	flags.StringVar(&crawler.KeysAt, "keys-at", "", "it signs its requests, and this `origin` has the keys: https://bot.example.com")
	flags.Func("address", "a `range` of addresses that it comes from: 192.0.2.0/24 or one alone; can be given several times", crawler.Ranges.Add)
	flags.BoolVar(&asJSON, "json", false, "write the list of addresses, and not the page")
	return c
}

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

// check returns the Contact as a link, or an error if c says too little for a page, or something that is of no use.
func (c *Crawler) check() (contact string, err error) {
	for _, need := range []struct{ flag, text, example string }{
		{"--owner", c.Owner, "the name of a company or a person"},
		{"--purpose", c.Purpose, `a sentence, such as "It finds recipes for a search engine."`},
		{"--contact", c.Contact, "a mail address, or a URL"},
	} {
		if strings.TrimSpace(need.text) == "" {
			return "", fmt.Errorf("%s is missing: give %s", need.flag, need.example)
		}
	}
	if contact, err = c.contactURL(); err != nil {
		return "", err
	}
	if c.RangesAt != "" && !isHTTPS(c.RangesAt) {
		return "", fmt.Errorf("--addresses-at: %.100q is no https URL: write one like https://example.com/bot/addresses.json", c.RangesAt)
	}
	if c.KeysAt != "" && (!isHTTPS(c.KeysAt) || strings.Count(c.KeysAt, "/") > 2) {
		return "", fmt.Errorf("--keys-at: %.100q is no origin: write one like https://bot.example.com", c.KeysAt)
	}
	return contact, nil
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

//go:embed page.html
var pageText string

// Page returns the page about c, in HTML. It returns an error, which names the flag of the
// command, if c says too little or something that is of no use.
func (c *Crawler) Page() ([]byte, error) {
	name, err := c.Name()
	if err != nil {
		return nil, err
	}
	contact, err := c.check()
	if err != nil {
		return nil, err
	}
	view := struct {
		*Crawler
		Name, ContactURL, Directory string
	}{c, name, contact, ""}
	if c.KeysAt != "" {
		view.Directory = c.KeysAt + webbotauth.DirectoryPath
	}
	var b bytes.Buffer
	err = template.Must(template.New("page").Parse(pageText)).Execute(&b, view)
	return b.Bytes(), err
}

// Ranges are the addresses that requests of a crawler come from.
type Ranges []netip.Prefix

// Add adds a range such as 192.0.2.0/24, or one address.
func (r *Ranges) Add(text string) error {
	prefix, err := netip.ParsePrefix(text)
	if err != nil && !strings.Contains(text, "/") {
		var address netip.Addr
		if address, err = netip.ParseAddr(text); err == nil && address.Zone() == "" {
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
	}
	switch at := prefix.Addr(); {
	case err != nil || !prefix.IsValid() || at.Is4In6():
		return fmt.Errorf("%.60q is no range of addresses: write one like 192.0.2.0/24 or 2001:db8::/32", text)
	case prefix != prefix.Masked():
		return fmt.Errorf("%s begins within a range: write %s, or one address alone", text, prefix.Masked())
	case prefix.Bits() == 0:
		return fmt.Errorf("%s is every address: anybody would be your crawler", text)
	case at.IsPrivate(), at.IsLoopback(), at.IsLinkLocalUnicast(), at.IsMulticast(), at.IsUnspecified():
		return fmt.Errorf("%s is not on the public internet: sites never see it", text)
	}
	if !slices.Contains(*r, prefix) {
		*r = append(*r, prefix)
	}
	return nil
}

// A published list has the form of draft-illyes-webbotauth-jafar-00 §2.
type published struct {
	CreationTime string  `json:"creationTime"`
	Prefixes     []entry `json:"prefixes"`
}

// An entry has one of the two prefixes (§2.3).
type entry struct {
	IPv4     string   `json:"ipv4Prefix,omitempty"`
	IPv6     string   `json:"ipv6Prefix,omitempty"`
	Services []string `json:"services"`
}

// JSON returns the list to publish for a crawler, as it is now, in the order of the addresses.
// It wants to be made anew each day (§3.1).
func (r Ranges) JSON(crawler string, now time.Time) ([]byte, error) {
	list := published{CreationTime: now.UTC().Format(time.RFC3339), Prefixes: []entry{}}
	for _, prefix := range slices.SortedFunc(slices.Values(r), netip.Prefix.Compare) {
		e := entry{Services: []string{crawler}}
		if prefix.Addr().Is4() {
			e.IPv4 = prefix.String()
		} else {
			e.IPv6 = prefix.String()
		}
		list.Prefixes = append(list.Prefixes, e)
	}
	b, err := json.MarshalIndent(list, "", "  ")
	return append(b, '\n'), err
}
