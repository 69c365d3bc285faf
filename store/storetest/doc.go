// Package storetest tests whether a [store.Store] and [store.Turns] of your own do what
// polite needs of them: [TestStore] and [TestTurns] run a test for each rule. It also has
// doubles that pass these tests, for tests of what uses a Store or Turns: [Memory],
// [Lanes], and [Both] in one.
//
// An [Engine] says how to open what is tested. Leave out the call for what you have not
// written:
//
//	func TestStore(t *testing.T) {
//		engine := storetest.Engine[*mystore.Store]{
//			Open: func(t *testing.T) *mystore.Store { return mystore.Open(t.TempDir()) },
//		}
//		storetest.TestStore(t, engine)
//		storetest.TestTurns(t, engine)
//	}
package storetest
