package identity

import (
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
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
