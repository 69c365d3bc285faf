package fetch

import (
	"reflect"
	"unsafe"
	"weak"
)

// An identity tells whether an error is the one that it is of, and does not keep that one
// alive. So errors.Is finds the errors that a program has in its variables, and what is
// made for one failure is let go.
type identity struct {
	kind reflect.Type
	at   weak.Pointer[byte]
}

// identityOf returns the identity of err. It returns false if err has none, since it is no
// pointer.
func identityOf(err error) (id identity, ok bool) {
	v := reflect.ValueOf(err)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return id, false
	}
	return identity{v.Type(), weak.Make((*byte)(v.UnsafePointer()))}, true
}

// of reports whether id is of err.
func (id *identity) of(err error) bool {
	v := reflect.ValueOf(err)
	return v.Kind() == reflect.Pointer && v.Type() == id.kind && !v.IsNil() && unsafe.Pointer(id.at.Value()) == v.UnsafePointer()
}
