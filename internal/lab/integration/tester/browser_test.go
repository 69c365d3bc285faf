package tester

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// temporary is a folder that is removed when all tests are done; browser is a context with
// the one Chromium that all tests share, nil if there is none.
var (
	temporary string
	browser   context.Context
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	var err error
	if temporary, err = os.MkdirTemp("", "polite-tester"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(temporary)
	if _, err := exec.LookPath("chromium"); err == nil {
		var stop func()
		browser, stop = chromium()
		defer stop()
	}
	return m.Run()
}

// chromium starts a browser that finds every name of .test on this machine.
func chromium(more ...chromedp.ExecAllocatorOption) (context.Context, func()) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1"), chromedp.Flag("disable-component-update", true))
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	ctx, stop := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		panic(err)
	}
	return ctx, func() {
		chromedp.Cancel(ctx)
		stop()
		stopAllocator()
	}
}

// A view is how a user sees the page.
type view struct {
	width  int64
	scheme string // light or dark
}

func (v view) String() string { return fmt.Sprintf("%d px, %s", v.width, v.scheme) }

var (
	wide  = view{1400, "light"}
	phone = view{360, "light"}
	views = []view{wide, phone, {1400, "dark"}, {360, "dark"}}
)

// A page is a tab of the browser, as a user uses it.
type page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	problems []string // errors on the console, exceptions, violations of the policy
	requests []string // all that was asked for, with the method
	quiet    bool     // problems are what the test is about
}

// open opens the link of a program. When the test ends, there must have been no problem on
// the console, and no request to anywhere else.
func open(t testing.TB, v view, link string) *page {
	p := tab(t, v)
	p.visit(link)
	p.until(`document.querySelector('#totals').textContent != ''`)
	home := link[:strings.LastIndex(strings.Split(link, "#")[0], "/")+1]
	t.Cleanup(func() { p.stayedAt(home) })
	return p
}

// tab opens an empty tab.
func tab(t testing.TB, v view) *page {
	if browser == nil {
		t.Skip("chromium is not installed")
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, p.hear))
	p.do(call(network.Enable, network.EnableParams{}), chromedp.EmulateViewport(v.width, 900))
	p.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: v.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}))
	return p
}

func (p *page) visit(link string) { p.do(chromedp.Navigate(link)) }

// hear keeps what happens in the tab.
func (p *page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.Method+" "+e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		p.problems = append(p.problems, fmt.Sprint("console: ", e.Type))
	case *cdplog.EventEntryAdded:
		p.problems = append(p.problems, e.Entry.Text)
	}
}

// stayedAt asserts that nothing was asked for outside of the page, and nothing went wrong.
func (p *page) stayedAt(home string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, request := range p.requests {
		_, url, _ := strings.Cut(request, " ")
		assert.True(p.t, strings.HasPrefix(url, home) || strings.HasPrefix(url, "blob:"), "a request to somewhere else: %s", request)
	}
	if !p.quiet {
		assert.Empty(p.t, p.problems, "problems in the browser")
	}
}

// asked returns how many requests of the page begin with prefix.
func (p *page) asked(prefix string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, request := range p.requests {
		if strings.HasPrefix(request, prefix) {
			n++
		}
	}
	return n
}

// call is an action of the protocol that returns nothing of use.
func call[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, c, params)
		return chromedp.Void{}, err
	}
}

// do does what a user does. It gives up after a time in which every browser is done.
func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	require.NoError(p.t, chromedp.Do(ctx, actions...))
}

// value returns the value of an expression of JavaScript.
func value[T any](p *page, js string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, js)
	return v
}

// until waits until an expression is true.
func (p *page) until(js string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](`!!(`+js+`)`, chromedp.WithPollingTimeout(20*time.Second)))
	if err != nil {
		p.mu.Lock()
		problems := p.problems
		p.mu.Unlock()
		require.NoError(p.t, err, "%s never came; the page shows:\n%s\nproblems: %q", js, value[string](p, `document.body.innerText`), problems)
	}
}

// text returns the text that an element shows.
func (p *page) text(selector string) string {
	p.t.Helper()
	return value[string](p, fmt.Sprintf(`document.querySelector(%q)?.innerText.replaceAll(/\s+/g, ' ').trim() ?? ''`, selector))
}

func (p *page) click(selector string) { p.t.Helper(); p.do(chromedp.Click(chromedp.CSS(selector))) }

// press presses keys one after the other, with modifiers held.
func (p *page) press(keys string, held ...kb.Modifier) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(held...)))
}

// write replaces what a field holds, by a paste.
func (p *page) write(selector, text string) {
	p.t.Helper()
	field := fmt.Sprintf(`document.querySelector(%q)`, selector)
	p.value(field + `.focus(), 0`)
	p.click(selector) // a page may write to the clipboard only soon after its user did something
	p.value(field + `.select(), 0`)
	if text == "" {
		p.press(kb.Delete)
		return
	}
	written, err := json.Marshal(text)
	require.NoError(p.t, err)
	p.value(`navigator.clipboard.writeText(` + string(written) + `)`)
	p.command("v", "paste")
}

// command presses Ctrl with a key that means a command of editing.
func (p *page) command(key, command string) {
	p.t.Helper()
	down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Modifiers: int64(kb.ModifierCtrl), Commands: []string{command}}
	p.do(call(input.DispatchKeyEvent, down))
}

func (p *page) value(js string) { p.t.Helper(); value[any](p, js) }

// answered does something, and waits until the page shows the answer to it.
func (p *page) answered(do func()) {
	p.t.Helper()
	p.value(`(performance.clearMeasures(), 0)`)
	do()
	p.until(`performance.getEntriesByName('keystroke to verdicts').length > 0`)
}

// load opens a file of these octets.
func (p *page) load(octets string) {
	p.t.Helper()
	path := temporary + "/robots.txt"
	require.NoError(p.t, os.WriteFile(path, []byte(octets), 0o600))
	p.answered(func() { p.do(chromedp.SetUploadFiles(chromedp.CSS("#open-file"), []string{path}, chromedp.NodeReady)) })
}

// verdicts returns the rows of the verdicts that are drawn.
func (p *page) verdicts() []string {
	return value[[]string](p, `[...document.querySelectorAll('#verdicts [role=option]')].filter(r => !r.hidden).map(r => [...r.children].map(c => c.innerText.trim()).join(' ').trim())`)
}

// findings returns the findings that are shown.
func (p *page) findings() []string {
	return value[[]string](p, `[...document.querySelectorAll('#findings > li')].map(r => [...r.children].filter(c => !c.matches('.explain')).map(c => c.innerText.trim()).join(' | '))`)
}
