package redisfleet

import (
	"context"

	"github.com/redis/rueidis"
)

// credentials lets a client ask for the user and the password of each connection.
func credentials(alive context.Context, ask func(context.Context) (user, password string, err error)) func(rueidis.AuthCredentialsContext) (rueidis.AuthCredentials, error) {
	return func(rueidis.AuthCredentialsContext) (rueidis.AuthCredentials, error) {
		ctx, cancel := context.WithTimeout(alive, longestCall)
		defer cancel()
		user, password, err := ask(ctx)
		if err != nil {
			return rueidis.AuthCredentials{}, &credentialsError{err}
		}
		return rueidis.AuthCredentials{Username: user, Password: password}, nil
	}
}
