package tester

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alone is a folder with the page that has no server, as .ci/page makes it.
var alone = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(temporary, "alone")
	if out, err := exec.Command("../../../../.ci/page", folder).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return folder, nil
})

// The page does without a server what it does with one, but for what sites are asked for: at any web
// server, and as a file.
func TestPageWithoutServer(t *testing.T) {
	if browser == nil {
		t.Skip("chromium is not installed")
	}
	folder, err := alone()
	require.NoError(t, err)
	host := httptest.NewServer(http.StripPrefix("/tester/", http.FileServer(http.Dir(folder))))
	defer host.Close()
	with := open(t, wide, start(t).Link)
	for _, link := range []string{host.URL + "/tester/", "file://" + folder + "/index.html"} {
		p := open(t, wide, link)
		assert.Equal(t, with.verdicts(), p.verdicts())
		assert.Equal(t, with.text("#story"), p.text("#story"))
		for _, p := range []*page{with, p} {
			p.load("User-agent: *\nDisalow: /x\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow: /\n")
			p.click("#compare")
			p.answered(func() { p.click("#parted") })
			p.until(`document.querySelectorAll('#table-head th').length > 2 && document.querySelectorAll('#changes > li').length > 0`)
		}
		for _, part := range []string{"#findings", "#changes", "#changes-total", "#table-side", "#known", "#about"} {
			assert.Equal(t, with.text(part), p.text(part), part)
		}
		assert.Equal(t, "0,0,0", value[string](p, `['#load', '#sitemap-url', 'footer [data-loads]'].map((s) => document.querySelector(s).offsetHeight).join()`), "nothing is loaded")
		folder := p.downloads()
		p.click("[data-export=csv]")
		assert.Contains(t, p.saved(filepath.Join(folder, "verdicts.csv")), "verdict,crawler,url")

		p.click("#copy-link")
		p.until(`document.querySelector('#notice input')`)
		assert.NotContains(t, p.text("#notice"), "polite tester")
		again := open(t, phone, value[string](p, `document.querySelector('#notice input').value`))
		again.until(`document.querySelectorAll('#table-head th').length > 2`)
		assert.Equal(t, value[string](p, text), value[string](again, text), "a link has what the page shows")
		assert.Zero(t, p.asked("POST"))
		with = open(t, wide, start(t).Link)
	}
}

// What the page answers in WebAssembly are the answers of the server, octet for octet.
func TestWebAssembly(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	work := t.TempDir()
	build := exec.Command("go", "build", "-C", "../../../../cmd/polite", "-o", filepath.Join(work, "polite.wasm"), "./internal/tester/wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	type question struct {
		Name  string            `json:"name"`
		Parts map[string]string `json:"parts"` // in base64
	}
	var questions []question
	for _, text := range []string{scene, asItIs, misspelled(30), "", "<!doctype html>", "user-agent: *\ndisallow: /\u202e\x1b[2J\n"} {
		for name, request := range map[string]string{
			"judge": `{"agent":"GPTBot","explain":1,"several":{"kind":"known"}}`, "compare": `{"agent":"*all*"}`, "fix": `{"check":"misspelled-record"}`,
			"parted": `{"out":"ai-training","in":["search"]}`, "export": `{"agent":"a","format":"json"}`, "review": `{"agent":"a","format":"markdown"}`,
			"list": `{}`, "checks": `{}`, "crawlers": `{}`, "start": `no JSON`, "nothing": `{}`,
		} {
			parts := map[string]string{"request": request, "text": text, "urls": sceneURLs + "\nno URL", "before": "User-agent: *\nDisallow: /x\n"}
			for name, part := range parts {
				parts[name] = base64.StdEncoding.EncodeToString([]byte(part))
			}
			questions = append(questions, question{name, parts})
		}
	}
	asked, err := json.Marshal(questions)
	require.NoError(t, err)
	script := filepath.Join(work, "ask.mjs")
	require.NoError(t, os.WriteFile(script, []byte(`const { readFileSync } = await import('node:fs');
await import(process.argv[2]);
const go = new Go();
go.run((await WebAssembly.instantiate(readFileSync(process.argv[3]), go.importObject)).instance);
for (const { name, parts } of JSON.parse(readFileSync(0))) {
	const { status, body } = politeAsk(name, Object.fromEntries(Object.entries(parts).map(([k, v]) => [k, new Uint8Array(Buffer.from(v, 'base64'))])));
	console.log(status + ' ' + Buffer.from(body).toString('base64'));
}
process.exit(0);
`), 0o600))
	cmd := exec.Command(node, script, filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js"), filepath.Join(work, "polite.wasm"))
	cmd.Stdin = bytes.NewReader(asked)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err = cmd.Output()
	require.NoError(t, err, problems.String())
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, lines, len(questions))
	link := start(t).Link
	for i, q := range questions {
		status, body := ask(t, link, q.Name, q.Parts)
		assert.Equal(t, fmt.Sprint(status, " ", base64.StdEncoding.EncodeToString(body)), lines[i], "%s", q.Name)
	}
}

// ask asks a server a question, as its page does.
func ask(t *testing.T, link, name string, parts map[string]string) (status int, body []byte) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, part := range parts {
		octets, err := base64.StdEncoding.DecodeString(part)
		require.NoError(t, err)
		to, err := w.CreateFormField(name)
		require.NoError(t, err)
		_, err = to.Write(octets)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	req, err := http.NewRequest(http.MethodPost, link+"api/"+name, &form)
	require.NoError(t, err)
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Origin", "http://"+req.URL.Host)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, body
}
