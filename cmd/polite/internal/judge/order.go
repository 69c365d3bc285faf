package judge

import "iter"

// inOrder yields what do returns for each of in, in the order of in. It does up to
// atOnce of them at the same time.
func inOrder[In, Out any](in iter.Seq[In], atOnce int, do func(In) Out) iter.Seq[Out] {
	return func(yield func(Out) bool) {
		results, stopped := make(chan chan Out, atOnce), make(chan struct{})
		defer close(stopped)
		go func() {
			defer close(results)
			for x := range in {
				result := make(chan Out, 1)
				select {
				case results <- result:
				case <-stopped:
					return
				}
				go func() { result <- do(x) }()
			}
		}()
		for result := range results {
			if !yield(<-result) {
				return
			}
		}
	}
}
