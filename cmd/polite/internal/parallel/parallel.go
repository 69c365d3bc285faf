// Package parallel does work on several sites at once, so that none holds up the others.
package parallel

import (
	"iter"
	"slices"
	"time"
)

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
	// most is how many results there are at most: being made, or waiting to be yielded.
	most = 32

	// ahead is how many questions are read at most before they are answered.
	ahead = 1024

	// Patience is how long results wait for one that comes before them.
	Patience = time.Second
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
	begun int                   // how many of the queue are being made, or are done
	sites map[string]*siteState // of the queue
}

// A job is a question, and what becomes of it.
type job[In, Out any] struct {
	Result[In, Out]
	at          *siteState
	read        time.Time
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
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	for questions != nil || len(b.queue) > 0 {
		next := questions
		if len(b.queue) >= ahead {
			next = nil
		}
		b.set(timer)
		select {
		case x, ok := <-next:
			if ok {
				b.add(x)
			} else {
				questions = nil
			}
		case j := <-b.finished:
			j.done, j.at.asked = true, true
		case <-timer.C:
		}
		if !b.flush() {
			return
		}
		b.begin()
	}
}

// set lets the timer tell when the first result has been waited for long enough.
func (b *board[In, Out]) set(timer *time.Timer) {
	timer.Stop()
	if len(b.queue) > 0 && !b.isLate() {
		timer.Reset(Patience - time.Since(b.queue[0].read))
	}
}

// isLate reports whether others need not wait for the first result any more.
func (b *board[In, Out]) isLate() bool { return time.Since(b.queue[0].read) >= Patience }

// add puts a question on the board.
func (b *board[In, Out]) add(x In) {
	name := b.site(x)
	at, known := b.sites[name]
	if !known {
		at = &siteState{name: name, asked: name == ""}
		b.sites[name] = at
	}
	at.jobs++
	b.queue = append(b.queue, &job[In, Out]{Result: Result[In, Out]{N: b.n, In: x}, at: at, read: time.Now()})
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

// flush yields the results that need not wait for another, and reports whether to go on. These are the
// first of all, and, while it is late, the first of each other site.
func (b *board[In, Out]) flush() (goesOn bool) {
	behind := make(map[*siteState]bool)
	for _, j := range slices.Clone(b.queue) {
		switch {
		case j.done && (j == b.queue[0] || b.isLate() && !behind[j.at]):
			if !b.take(j) {
				return false
			}
		case !b.isLate():
			return true
		default:
			behind[j.at] = true
		}
	}
	return true
}

// take yields a result, which is the first of its site.
func (b *board[In, Out]) take(j *job[In, Out]) bool {
	at := slices.Index(b.queue, j)
	b.queue = slices.Delete(b.queue, at, at+1)
	b.begun--
	if j.at.jobs--; j.at.jobs == 0 {
		delete(b.sites, j.at.name)
	}
	return b.yield(j.Result)
}
