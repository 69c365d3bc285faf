package answers

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// A Known fills its size class.
func TestSizeOfKnown(t *testing.T) { assert.LessOrEqual(t, unsafe.Sizeof(Known{}), uintptr(128)) }
