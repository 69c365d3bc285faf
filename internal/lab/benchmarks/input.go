package main

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/robots"
)

// input is what is measured on: files, and queries about them.
type input struct {
	name    string
	bodies  [][]byte // what counts of each
	queries []query
}

type query struct {
	file  int
	agent string
	path  string
}

func (in *input) size() (n int) {
	for _, body := range in.bodies {
		n += len(body)
	}
	return n
}

// load reads the corpus in dir, or makes one up if there is none.
func load(dir string) (*input, error) {
	if dir == "" {
		return madeUp(), nil
	}
	files, err := corpus.Files(dir)
	if err != nil {
		return nil, err
	}
	cases, err := corpus.Cases(dir)
	if err != nil {
		return nil, err
	}
	in := &input{name: "corpus"}
	hosts := slices.Sorted(maps.Keys(files))
	index := make(map[string]int)
	for i, host := range hosts {
		index[host] = i
		in.bodies = append(in.bodies, counted(files[host]))
	}
	for _, c := range cases {
		u, err := url.Parse(c.URL)
		if err != nil {
			return nil, err
		}
		in.queries = append(in.queries, query{index[c.Host], c.Agent, u.RequestURI()})
	}
	shuffle(in.queries)
	return in, nil
}

// counted returns the part of body that counts, so that all read the same.
func counted(body []byte) []byte {
	if len(body) <= robots.MaxSize {
		return body
	}
	return body[:bytes.LastIndexByte(body[:robots.MaxSize], '\n')+1]
}

// madeUp makes up files, and queries about their rules.
func madeUp() *input {
	in := &input{name: "made up"}
	for i, body := range corpus.MadeUp(2000) {
		in.bodies = append(in.bodies, counted(body))
		for line := range strings.Lines(string(body)) {
			if _, pattern, ok := strings.Cut(line, "llow: "); ok {
				agent := []string{"ExampleBot", "Googlebot"}[len(in.queries)%2]
				in.queries = append(in.queries, query{i, agent, strings.TrimSpace(pattern) + "page?id=1"})
			}
		}
	}
	shuffle(in.queries)
	return in
}

// shuffle orders queries at random, the same every time.
func shuffle(queries []query) {
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
}
