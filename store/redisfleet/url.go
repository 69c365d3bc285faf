package redisfleet

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/redis/rueidis"
)

// parameters are those that a URL may have.
var parameters = []string{
	"addr", "client_cache", "client_name", "db", "dial_timeout", "master_set",
	"max_retries", "protocol", "skip_verify", "write_timeout",
}

// parseURL returns what a URL says. Its errors do not tell the password, nor what may be
// a part of it.
func parseURL(text string) (rueidis.ClientOption, error) {
	u, err := url.Parse(text)
	switch {
	case err == nil && !slices.Contains([]string{"redis", "rediss", "valkey", "valkeys", "unix"}, u.Scheme),
		err != nil && !strings.Contains(text, "://"):
		return rueidis.ClientOption{}, errors.New("redisfleet: the URL: begin it with redis://, rediss:// or unix://")
	case err != nil || u.Fragment != "" || strings.Contains(u.RawQuery, "@") || u.Scheme != "unix" && strings.Contains(u.Path, "@"):
		return rueidis.ClientOption{}, errors.New("redisfleet: the URL cannot be read: if the user or the password contains special characters, write them as url.UserPassword does, such as %23 for #")
	case u.Scheme == "unix" && u.Path == "":
		return rueidis.ClientOption{}, errors.New("redisfleet: the URL: write the path of the socket, such as unix:///run/redis.sock")
	}
	for name := range u.Query() {
		if !slices.Contains(parameters, name) {
			return rueidis.ClientOption{}, fmt.Errorf("redisfleet: the URL: there is no parameter %q, but %s", name, strings.Join(parameters, ", "))
		}
	}
	option, err := rueidis.ParseURL(text)
	if err != nil {
		return option, fmt.Errorf("redisfleet: the URL: %s", strings.TrimPrefix(err.Error(), "redis: "))
	}
	return option, nil
}
