package redisfleet_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/alicebob/miniredis/v2"
	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store/redisfleet"
)

func ExampleOpen() {
	server, err := miniredis.Run() // stands for redis.example.org
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	fleet, err := redisfleet.Open(context.Background(), "redis://"+server.Addr(), redisfleet.Options{Prefix: "polite:examplebot"})
	if err != nil {
		log.Fatal(err)
	}
	defer fleet.Close()
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "examplebot/1.0 (+https://example.org/bot)",
		Cache:     &polite.Cache{Store: fleet, Turns: fleet},
	}}
	fmt.Printf("%T\n", client.Transport)
	// Output: *polite.Transport
}
