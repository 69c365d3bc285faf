// Package turns gives requests their turns: in this process, and, where store.Turns
// keeps them, too, among all processes that share it. Package pace keeps the order and
// the gaps of this process; this package joins it to the store and to what answers say.
package turns
