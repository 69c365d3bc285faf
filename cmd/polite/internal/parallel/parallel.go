// Package parallel does work on several sites at once, so that none holds up the others.
package parallel

import (
	"iter"
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
		b := &board[In, Out]{
			site: site, do: do, yield: yield,
			finished: make(chan *job[In, Out], most),
			sites:    make(map[string]*siteState),
		}
		b.run(read(in, stopped, 0))
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

// A board has all questions whose results have not been yielded. One goroutine uses it.
type board[In, Out any] struct {
	site     func(In) string
	do       func(In) Out
	yield    func(Result[In, Out]) bool
	finished chan *job[In, Out]

	n     int                   // how many questions were read
	queue []*job[In, Out]       // those whose results have not been yielded, in their order
	begun int                   // how many of the queue are being made
	sites map[string]*siteState // of the queue
}

// A job is a question, and what becomes of it.
type job[In, Out any] struct {
	Result[In, Out]
	at          *siteState
	begun, done bool
}

// A siteState is what the jobs on one site have in common.
type siteState struct {
	name  string
	jobs  int  // in the queue
	tried bool // the first has begun
	asked bool // a question was answered
}

func (b *board[In, Out]) run(questions <-chan In) {
	for questions != nil || len(b.queue) > 0 {
		next := questions
		if len(b.queue) >= ahead {
			next = nil
		}
		select {
		case x, ok := <-next:
			if ok {
				b.add(x)
			} else {
				questions = nil
			}
		case j := <-b.finished:
			j.done, j.at.asked = true, true
			b.begun--
		}
		if !b.flush() {
			return
		}
		b.begin()
	}
}

// add puts a question on the board.
func (b *board[In, Out]) add(x In) {
	name := b.site(x)
	at, known := b.sites[name]
	if !known {
		at = &siteState{name: name, asked: name == ""}
		b.sites[name] = at
	}
	at.jobs++
	b.queue = append(b.queue, &job[In, Out]{Result: Result[In, Out]{N: b.n, In: x}, at: at})
	b.n++
}

// begin begins as many jobs as may be done at once.
func (b *board[In, Out]) begin() {
	for _, j := range b.queue {
		if b.begun == most {
			return
		}
		if j.begun || j.at.tried && !j.at.asked {
			continue
		}
		j.begun, j.at.tried = true, true
		b.begun++
		go func() {
			j.Out = b.do(j.In)
			b.finished <- j // there is room for all that are made
		}()
	}
}

// flush yields the results that are next, and reports whether to go on.
func (b *board[In, Out]) flush() (goesOn bool) {
	for len(b.queue) > 0 && b.queue[0].done {
		j := b.queue[0]
		b.queue[0], b.queue = nil, b.queue[1:]
		if j.at.jobs--; j.at.jobs == 0 {
			delete(b.sites, j.at.name)
		}
		if !b.yield(j.Result) {
			return false
		}
	}
	return true
}
