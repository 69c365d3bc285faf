package polite

import (
	"errors"
	"net/url"
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

func (p *Policy) checkRedirect() func(from, to *url.URL) error {
	if p.CheckRedirect == nil {
		return publicToPrivate
	}
	return p.CheckRedirect
}

func sameHost(from, to *url.URL) error {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return errors.New("to another host")
	}
	return nil
}

func publicToPrivate(from, to *url.URL) error {
	if origin.IsPrivate(to.Hostname()) && !origin.IsPrivate(from.Hostname()) {
		return errors.New("from a public host to one that is not")
	}
	return nil
}
