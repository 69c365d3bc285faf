package robots_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requireSame requires that a walk and a scan find the same rule.
func requireSame(t *testing.T, rules robots.Rules, path string) {
	t.Helper()
	wantRule, wantOK := rules.MatchByScan(path)
	gotRule, gotOK := rules.MatchByWalk(path)
	require.Equal(t, wantOK, gotOK, path)
	require.Equal(t, wantRule, gotRule, path)
}

// Many queries at once have the same answers as one after the other. The index that the
// first of them makes is made once, and counted.
func TestWalkAtOnce(t *testing.T) {
	f := robots.Parse(hostileWords(500))
	rules := f.Rules("a")
	before := f.Size()
	_, walked := rules.Steps("/" + randomWord(rand.New(rand.NewPCG(1, 0)), ten+"!", 5000))
	require.True(t, walked)
	made := f.Size()
	require.Greater(t, made, before)

	f = robots.Parse(hostileWords(500))
	var all sync.WaitGroup
	for i := range uint64(8) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(i, 0))
			for range 50 {
				path := "/" + randomWord(random, ten+"!", 5000)
				want, wantOK := rules.Match(path)
				got, gotOK := f.Rules("a").Match(path)
				assert.Equal(t, wantOK, gotOK)
				assert.Equal(t, want, got)
				f.Size()
			}
		})
	}
	all.Wait()
	assert.Equal(t, made, f.Size())
}

// A walk leaves nothing behind: it is used again for the next query.
func TestWalkAgain(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 9309))
		body, alphabet := randomFile(random)
		f := robots.Parse(body)
		rules := f.Rules("a")
		for range 20 {
			requireSame(t, rules, "/"+randomWord(random, alphabet, random.IntN(40)))
		}
		if n, _ := f.Extent(); n <= 128 { // an index has a random seed
			path := "/" + randomWord(random, alphabet, 40)
			require.Equal(t, robots.Parse(body).Rules("a").StepsByWalk(path), rules.StepsByWalk(path))
		}
	}
}

// Whatever the file and the path, a walk and a scan find the same rule.
func FuzzIndex(f *testing.F) {
	f.Add("user-agent: a\ndisallow: /*ab*c%3A\nallow: *ab*d$\n", "/xab?c:abd")
	f.Add("user-agent: *\ndisallow: *a*a*a\nallow: *aa*a$\nuser-agent: *\nallow: *%2F*/\nallow: **\n", "/aaaa/%2F?//")
	f.Add("user-agent: a\nallow: *%%3A%\nallow: *3A$\nallow: /*?*%3F", "/%3A?%3f??")
	f.Fuzz(func(t *testing.T, body, path string) {
		rules := robots.Parse([]byte(body)).Rules("a")
		for _, target := range []string{path, "/" + path, "/?" + path} {
			requireSame(t, rules, target)
		}
	})
}

// The same for files of rules: random bytes are seldom rules.
func FuzzIndexRules(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 9309))
		body, alphabet := randomFile(random)
		rules := robots.Parse(body).Rules("a")
		for range 10 {
			path := "/" + randomWord(random, alphabet, random.IntN(60))
			if random.IntN(2) == 0 { // else few have a query
				path += "?" + randomWord(random, alphabet, random.IntN(60))
			}
			requireSame(t, rules, path)
		}
	})
}

// randomFile returns a file of rules with wildcards, and of what it is made.
func randomFile(random *rand.Rand) (body []byte, alphabet string) {
	alphabet = []string{"a", "ab", "ab?", "abc", "a:/", "%3A:/F?", "a?%2F3A:@", "abcdefghij!"}[random.IntN(8)]
	body = []byte("user-agent: a\n")
	for range 1 + random.IntN([]int{50, 400}[random.IntN(2)]) { // with and without an index
		if random.IntN(50) == 0 {
			body = append(body, "user-agent: "+[]string{"a", "b", "*"}[random.IntN(3)]+"\n"...)
		}
		body = append(body, []string{"allow: ", "disallow: "}[random.IntN(2)]+[]string{"/", "*", "/*", ""}[random.IntN(4)]...)
		for range random.IntN(4) {
			body = append(body, randomWord(random, alphabet, random.IntN(6))...)
			body = append(body, []string{"*", "*", "**", "%3A", ""}[random.IntN(5)]...)
		}
		body = append(body, randomWord(random, alphabet, random.IntN(9))+[]string{"", "", "$", "*"}[random.IntN(4)]+"\n"...)
	}
	return body, alphabet
}

// randomWord returns n octets of an alphabet.
func randomWord(random *rand.Rand, alphabet string, n int) string {
	word := make([]byte, n)
	for i := range word {
		word[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(word)
}
