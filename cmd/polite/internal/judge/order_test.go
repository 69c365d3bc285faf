package judge

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInOrder(t *testing.T) {
	done := make([]chan struct{}, 100)
	for i := range done {
		done[i] = make(chan struct{})
	}
	do := func(i int) int {
		if i%2 == 0 {
			<-done[i+1] // ends after its successor
		}
		close(done[i])
		return i
	}
	var got []int
	for i := range inOrder(slices.Values(numbers(100)), 2, do) {
		got = append(got, i)
	}
	assert.Equal(t, numbers(100), got)

	for i := range inOrder(slices.Values(numbers(100)), 2, func(i int) int { return i }) {
		if i == 50 {
			break
		}
	}
}

func numbers(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}
