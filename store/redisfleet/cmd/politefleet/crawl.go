package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/stage"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/verb"
)

// crawl is a process of the demo. The help does not name it.
func crawl(ctx context.Context, args []string, std verb.Streams) error {
	if len(args) != 3 {
		return verb.Misused("", errors.New("crawl is for the demo alone"))
	}
	number, err := strconv.Atoi(args[2])
	if err != nil {
		return verb.Misused("", errors.New("crawl is for the demo alone"))
	}
	return stage.Crawl(ctx, args[0], args[1], number, std.In, std.Out)
}
