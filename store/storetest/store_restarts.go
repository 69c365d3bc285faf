package storetest

import "fmt"

// Entries outlive a process. Claims need not.
var storeRestarts = []storeTest{
	{"an entry outlives the process", func(one, _ *client) {
		before := one.moment()
		versions := make(map[string]string)
		for i, key := range oddNames() {
			versions[key] = one.stores(key, "", []byte(fmt.Sprint(i, key)), long)
		}
		one.reopen()
		for i, key := range oddNames() {
			one.reads(key, "", versions[key], []byte(fmt.Sprint(i, key)))
		}
		one.pass(one.unit)
		one.isAged("", versions[""], before)
	}},
	{"the next process may fetch again", func(one, _ *client) {
		version := one.stores("key", "", oldFile, long)
		one.reopen()
		token := one.stores("key", version, newFile, long)
		one.reopen()
		one.reads("key", version, token, newFile)
	}},
	{"a claim of the process before ends with its lease", func(one, _ *client) {
		lost := one.winsFor("key", "", one.unit)
		one.reopen()
		one.outlast(one.unit)
		token := one.wins("key", "")
		one.loses("key", lost, oldFile)
		one.puts("key", token, newFile)
		one.reads("key", "", token, newFile)
	}},
	{"tokens do not repeat in the next process", func(one, _ *client) {
		for range 5 {
			for i := range 5 { // claim looks at the tokens
				one.puts(fmt.Sprint("key", i), one.wins(fmt.Sprint("key", i), ""), nil)
			}
			one.reopen()
		}
	}},
}
