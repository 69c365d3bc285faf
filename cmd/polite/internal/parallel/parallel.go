// Package parallel does work on several sites at once, so that none holds up the others.
package parallel

import "iter"

// Each yields what do returns for each question of in. It keeps the order of the
// questions, unless one takes longer than [Patience]: then what other sites answer comes
// first. The results of one site are always in order.
//
// The first question to a site goes alone, because do has to ask the site. Questions
// without a site, which is "", need not ask anybody.
func Each[In, Out any](in iter.Seq[In], site func(In) string, do func(In) Out) iter.Seq[Result[In, Out]] {
	return func(yield func(Result[In, Out]) bool) {
		stopped := make(chan struct{})
		defer close(stopped)
		b := &board[In, Out]{
			site: site, do: do, yield: yield,
			finished: make(chan *job[In, Out], most),
			sites:    make(map[string]*lane[In, Out]),
		}
		b.run(read(in, stopped))
	}
}

// read sends what in yields, until stopped is closed.
func read[In any](in iter.Seq[In], stopped <-chan struct{}) <-chan In {
	questions := make(chan In)
	go func() {
		defer close(questions)
		for x := range in {
			select {
			case questions <- x:
			case <-stopped:
				return
			}
		}
	}()
	return questions
}
