// Package parallel does work on several sites at once, so that none holds up the others.
package parallel

import (
	"iter"
	"maps"
)

// Each yields what do returns for each question of in, in the order of the questions. What other sites
// answer while one is slow is made meanwhile, and waits for it.
//
// The first question to a site goes alone, because do has to ask the site. Questions
// without a site, which is "", need not ask anybody.
func Each[In, Out any](in iter.Seq[In], site func(In) string, do func(In) Out) iter.Seq[Result[In, Out]] {
	return func(yield func(Result[In, Out]) bool) {
		stopped := make(chan struct{})
		defer close(stopped)
		const waiting = ahead - 2 // besides the one that is read, and the one that is yielded
		for j := range read(jobs(in, site, do, stopped), stopped, waiting) {
			<-j.done
			if !yield(j.Result) {
				return
			}
		}
	}
}

// Ahead yields what in yields, and reads up to so many ahead.
func Ahead[In any](in iter.Seq[In], most int) iter.Seq[In] {
	return func(yield func(In) bool) {
		stopped := make(chan struct{})
		defer close(stopped)
		for x := range read(in, stopped, most) {
			if !yield(x) {
				return
			}
		}
	}
}

// read sends what in yields, until stopped is closed. It keeps up to so many that nobody has received.
func read[In any](in iter.Seq[In], stopped <-chan struct{}, most int) <-chan In {
	questions := make(chan In, most)
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

const (
	// most is how many results are being made at most.
	most = 32

	// ahead is how many questions are read at most before their results are yielded.
	ahead = 1024
)

// A Result is what became of a question.
type Result[In, Out any] struct {
	N   int // the place of the question, from 0
	In  In
	Out Out
}

// A job is a question, and what becomes of it.
type job[In, Out any] struct {
	Result[In, Out]
	done chan struct{} // closed when Out is there
}

// jobs yields a job for each question, which is done as soon as it may be. None begins once stopped is closed.
func jobs[In, Out any](in iter.Seq[In], site func(In) string, do func(In) Out, stopped <-chan struct{}) iter.Seq[*job[In, Out]] {
	return func(yield func(*job[In, Out]) bool) {
		room := make(chan struct{}, most)
		asked := make(map[string]chan struct{}) // closed when the first question to the site is answered
		n := 0
		for x := range in {
			j := &job[In, Out]{Result[In, Out]{N: n, In: x}, make(chan struct{})}
			n++
			name := site(x)
			first, known := asked[name]
			if !known && name != "" {
				forgetAnswered(asked)
				asked[name] = j.done
			}
			go func() {
				defer close(j.done)
				if known {
					<-first
				}
				room <- struct{}{}
				defer func() { <-room }()
				select {
				case <-stopped:
				default:
					j.Out = do(x)
				}
			}()
			if !yield(j) {
				return
			}
		}
	}
}

// forgetAnswered forgets the sites that have answered, if there are many: a list may name a million.
func forgetAnswered(asked map[string]chan struct{}) {
	if len(asked) < 2*ahead {
		return
	}
	maps.DeleteFunc(asked, func(_ string, first chan struct{}) bool {
		select {
		case <-first:
			return true
		default:
			return false
		}
	})
}
