package tiny

import "testing"

func TestSum(t *testing.T) {
	if n, err := sum([]int{1, 2, 9}); n != 12 || err != nil {
		t.Error(n, err)
	}
	if n, err := sum([]int{1, 11}); n != 0 || err == nil {
		t.Error(n, err)
	}
}

var before bool

func TestBefore(t *testing.T) { before = true }

func TestAlone(t *testing.T) {
	if !before {
		t.Error("TestBefore was not run")
	}
	sum([]int{-1})
}
