package tester

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attacks are what a page of another origin tries on the tester at link. Each resolves to
// what it could read, or to "nothing".
const attacks = `(async () => {
	const link = %q, nothing = () => 'nothing';
	const form = () => { const f = new FormData(); f.append('request', new Blob(['{"url":%q,"agent":"x"}'])); f.append('text', new Blob(['x'])); return f };
	const loads = (element, attribute) => new Promise(done => { element[attribute] = link; element.onload = () => done(element.localName + ' loaded'); element.onerror = () => done('nothing'); document.body.append(element) });
	const frame = () => new Promise(done => { const f = document.createElement('iframe'); f.src = link; f.onload = () => { try { done(f.contentDocument?.body.textContent || 'nothing') } catch { done('nothing') } }; document.body.append(f) });
	const post = action => new Promise(done => { const f = document.createElement('form'); f.method = 'post'; f.enctype = 'multipart/form-data'; f.action = link + action; f.target = 'posted'; const i = document.createElement('input'); i.name = 'request'; i.value = '{"url":%q}'; f.append(i); const w = document.createElement('iframe'); w.name = 'posted'; w.onload = () => { try { done(w.contentDocument?.body.textContent || 'nothing') } catch { done('nothing') } }; document.body.append(w, f); f.submit(); setTimeout(() => done('nothing'), 3000) });
	const opened = () => new Promise(done => { const w = open(link); setTimeout(() => { try { done(w && !w.closed && w.document.body.innerText ? 'window' : 'nothing') } catch { done('nothing') } }, 1500) });
	return {
		'fetch':         await fetch(link).then(r => r.text()).catch(nothing),
		'fetch api':     await fetch(link + 'api/load', {method: 'POST', body: form()}).then(r => r.text()).catch(nothing),
		'fetch blindly': await fetch(link + 'api/load', {method: 'POST', mode: 'no-cors', body: form()}).then(r => r.text() || 'nothing').then(t => t || 'nothing').catch(nothing),
		'beacon':        (navigator.sendBeacon(link + 'api/load', form()), 'nothing'),
		'frame':         await frame(),
		'form':          await post('api/load'),
		'image':         await loads(new Image(), 'src'),
		'script':        await loads(document.createElement('script'), 'src'),
		'style':         await loads(Object.assign(document.createElement('link'), {rel: 'stylesheet'}), 'href'),
		'window':        await opened(),
	};
})()`

// TestAttackFromAnotherPage is an attack that knows all that can be known, even the token.
func TestAttackFromAnotherPage(t *testing.T) {
	var asked atomic.Int64
	victim := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1) }))
	defer victim.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>another page</title><body>")
	}))
	defer other.Close()
	link, err := url.Parse(start(t).Link)
	require.NoError(t, err)
	rebound := *link
	rebound.Host = "rebound.test:" + link.Port() // which the browser finds on this machine
	guessed := *link
	guessed.Path = "/" + strings.Repeat("A", 32) + "/"
	for name, target := range map[string]*url.URL{"with the token": link, "a guessed token": &guessed, "a name that is rebound": &rebound} {
		t.Run(name, func(t *testing.T) {
			p := tab(t, wide)
			p.visit(other.URL)
			for attack, read := range value[map[string]string](p, fmt.Sprintf(attacks, target, victim.URL, victim.URL)) {
				assert.Equal(t, "nothing", read, attack)
			}
		})
	}
	t.Run("as the page itself, by a name that is rebound", func(t *testing.T) {
		p := tab(t, wide)
		p.visit(rebound.String()) // now the attacker's page and the tester are of one origin
		assert.Equal(t, "Open the link that polite tester has printed.", p.text("body"))
		status := fmt.Sprintf(`fetch(%q, {method: 'POST', body: new FormData()}).then(r => r.status)`, rebound.Path+"api/start")
		assert.Equal(t, http.StatusForbidden, value[int](p, status))
	})
	assert.Zero(t, asked.Load(), "a site was asked")
	t.Run("on a server without defences", func(t *testing.T) {
		open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			fmt.Fprint(w, "body { color: red }")
		}))
		defer open.Close()
		p := tab(t, wide)
		p.visit(other.URL)
		read := value[map[string]string](p, fmt.Sprintf(attacks, open.URL+"/", victim.URL, victim.URL))
		assert.NotEqual(t, "nothing", read["fetch"], "the attack is one")
		assert.NotEqual(t, "nothing", read["fetch api"], "the attack is one")
	})
	p := open(t, wide, link.String())
	assert.Equal(t, "2 allowed · 1 disallowed", p.text("#totals"), "the page is as it was")
}

// TestAnotherUserOfTheMachine looks at what others may see: the arguments of processes, and
// temporary files.
func TestAnotherUserOfTheMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	folder, called := t.TempDir(), filepath.Join(t.TempDir(), "called")
	opener := filepath.Join(folder, "xdg-open")
	require.NoError(t, os.WriteFile(opener, []byte("#!/bin/sh\nstat -c '%a' \"$1\" \"$(dirname \"$1\")\" >"+called+".new\necho \"$1\" >>"+called+".new\nmv "+called+".new "+called+"\nexec sleep 5\n"), 0o700))
	temporary := t.TempDir()
	cmd := exec.Command(command(t), "tester")
	cmd.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "DISPLAY=:0", "TMPDIR="+temporary, "XDG_CACHE_HOME="+t.TempDir())
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Signal(os.Interrupt)
	printed := make([]byte, 200)
	n, err := out.Read(printed)
	require.NoError(t, err)
	token := strings.Split(string(printed[:n]), "/")[3]

	var seen string
	require.Eventually(t, func() bool {
		body, err := os.ReadFile(called)
		seen = string(body)
		return err == nil
	}, 20*time.Second, 20*time.Millisecond, "the browser is started")
	assert.True(t, strings.HasPrefix(seen, "600\n700\n"), seen)
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range all {
		arguments, _ := os.ReadFile(path)
		assert.NotContains(t, string(arguments), token, path)
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left, "files that are left behind")
}
