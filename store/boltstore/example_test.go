package boltstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/go-polite/polite/store/boltstore"
)

// What one Store has put is there for the next one that opens the file.
func Example() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "crawl.cache")

	if err := remember(path, "https://example.com", "what it answered"); err != nil {
		log.Fatal(err)
	}

	store, err := boltstore.Open(path, boltstore.Options{Wait: time.Second})
	if errors.Is(err, boltstore.ErrLocked) {
		log.Fatal("another crawl is running")
	} else if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	for entry, err := range store.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", entry.Key, entry.Bytes)
	}
	// Output:
	// https://example.com: what it answered
}

func remember(path, key, answer string) error {
	store, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	claim, err := store.Claim(ctx, key, "", time.Minute)
	if err == nil && claim.Token != "" {
		err = store.Put(ctx, key, claim.Token, []byte(answer), 24*time.Hour)
	}
	return errors.Join(err, store.Close())
}
