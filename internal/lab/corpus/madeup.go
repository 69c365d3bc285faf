package corpus

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// MadeUp returns n files of the shape of real ones, the same every time: a median
// of 13 rules and a long tail, half with wildcards, mostly for one agent or a few,
// some with a crawl-delay.
func MadeUp(n int) [][]byte {
	m := maker{random: rand.New(rand.NewPCG(9309, 1994))}
	files := make([][]byte, n)
	for i := range files {
		files[i] = m.file()
	}
	return files
}

var words = strings.Fields("admin api app archive assets author blog cart category cgi-bin checkout comments css docs feed files home images includes item js login media news page plugins private product profile search share shop site static tag tmp user wp-admin wp-content")

type maker struct{ random *rand.Rand }

func (m maker) file() []byte {
	var b bytes.Buffer
	rules := min(int(13*math.Exp(1.5*m.random.NormFloat64())), 30_000)
	wild := m.random.IntN(2) == 0
	agents := max(1, min(int(0.5*math.Exp(1.6*m.random.NormFloat64())), 300))
	for range agents {
		agent := m.of("*", "Googlebot", "bingbot", "Yandex", m.word()+"bot")
		fmt.Fprintf(&b, "# for %s\nUser-agent: %s\n", agent, agent)
		if m.random.IntN(12) == 0 {
			fmt.Fprintf(&b, "Crawl-delay: %s\n", m.of("1", "2", "5", "10", "10", "30", "60"))
		}
		for range rules / agents {
			fmt.Fprintf(&b, "%s: %s\n", m.of("Disallow", "Disallow", "Disallow", "Allow"), m.pattern(wild))
		}
		b.WriteString("\n")
	}
	if m.random.IntN(2) == 0 {
		b.WriteString("Sitemap: https://www.example.com/sitemap.xml\n")
	}
	return b.Bytes()
}

func (m maker) pattern(wild bool) string {
	pattern := "/" + m.word() + "/"
	if m.random.IntN(3) == 0 {
		pattern += m.word() + fmt.Sprint("-", m.random.IntN(1000))
	}
	if wild && m.random.IntN(4) == 0 {
		pattern = strings.Replace(pattern, "/", "/*", 1+m.random.IntN(2))
	}
	return pattern
}

func (m maker) word() string { return m.of(words...) }

func (m maker) of(choice ...string) string { return choice[m.random.IntN(len(choice))] }
