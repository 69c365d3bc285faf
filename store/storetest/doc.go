// Package storetest tests whether a [store.Store] and [store.Turns] of your own keep to
// their contracts: [TestStore] and [TestTurns] run a test for each rule. Package
// memstore has an engine that passes these tests.
//
// An [Engine] says how to open your Store or Turns. If you have only one of them, leave
// out the other call:
//
//	func TestStore(t *testing.T) {
//		engine := storetest.Engine[*mystore.Store]{
//			Open: func(t *testing.T) *mystore.Store { return mystore.Open(t.TempDir()) },
//		}
//		storetest.TestStore(t, engine)
//		storetest.TestTurns(t, engine)
//	}
package storetest
