package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"github.com/go-polite/polite/internal/corpus"
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

// madeUp makes up files of the shape of real ones: a median of 13 rules and a
// long tail, half with wildcards, mostly for one agent or a few.
func madeUp() *input {
	random := rand.New(rand.NewPCG(9309, 1994))
	words := strings.Fields("admin api app archive assets author blog cart category cgi-bin checkout comments css docs feed files home images includes item js login media news page plugins private product profile search share shop site static tag tmp user wp-admin wp-content")
	word := func() string { return words[random.IntN(len(words))] }
	in := &input{name: "made up"}
	for i := range 2000 {
		var b strings.Builder
		rules := min(int(13*math.Exp(1.5*random.NormFloat64())), 30_000)
		wild := random.IntN(2) == 0
		agents := max(1, min(int(0.5*math.Exp(1.6*random.NormFloat64())), 300))
		for range agents {
			agent := []string{"*", "Googlebot", "bingbot", "Yandex", word() + "bot"}[random.IntN(5)]
			fmt.Fprintf(&b, "# for %s\nUser-agent: %s\n", agent, agent)
			for range rules / agents {
				path := "/" + word() + "/"
				if random.IntN(3) == 0 {
					path += word() + fmt.Sprint("-", random.IntN(1000))
				}
				if wild && random.IntN(4) == 0 {
					path = strings.Replace(path, "/", "/*", 1+random.IntN(2))
				}
				fmt.Fprintf(&b, "%s: %s\n", []string{"Disallow", "Disallow", "Disallow", "Allow"}[random.IntN(4)], path)
				in.queries = append(in.queries, query{i, []string{"ExampleBot", "Googlebot"}[random.IntN(2)], path + word() + "?id=" + word()})
			}
			b.WriteString("\n")
		}
		if random.IntN(2) == 0 {
			b.WriteString("Sitemap: https://www.example.com/sitemap.xml\n")
		}
		in.bodies = append(in.bodies, counted([]byte(b.String())))
	}
	shuffle(in.queries)
	return in
}

// shuffle orders queries at random, the same every time.
func shuffle(queries []query) {
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
}
