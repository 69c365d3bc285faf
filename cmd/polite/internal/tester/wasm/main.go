//go:build js && wasm

// Command wasm is what answers the page of polite tester where there is no server: in the browser.
package main

import (
	"context"
	"syscall/js"

	"github.com/go-polite/polite/cmd/polite/internal/tester"
)

// main sets the function politeAsk, which takes the name of a question and its parts, by name, as octets.
func main() {
	var alone tester.Alone
	octets := js.Global().Get("Uint8Array")
	js.Global().Set("politeAsk", js.FuncOf(func(_ js.Value, args []js.Value) any {
		given := js.Global().Get("Object").Call("entries", args[1])
		parts := make(map[string][]byte)
		for i := range given.Length() {
			part := given.Index(i)
			body := make([]byte, part.Index(1).Length())
			js.CopyBytesToGo(body, part.Index(1))
			parts[part.Index(0).String()] = body
		}
		status, kind, answer := alone.Ask(context.Background(), args[0].String(), parts)
		body := octets.New(len(answer))
		js.CopyBytesToJS(body, answer)
		return map[string]any{"status": status, "kind": kind, "body": body}
	}))
	select {}
}
