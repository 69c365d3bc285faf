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
			sites:    make(map[string]*siteJobs[In, Out]),
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

	n       int                           // how many questions were read
	queue   []*job[In, Out]               // those whose results have not been yielded, in their order
	ready   []*job[In, Out]               // those that may begin
	making  int                           // how many are being made
	waiting []*job[In, Out]               // those that are done, and wait for others; in the order of the questions
	sites   map[string]*siteJobs[In, Out] // of the queue
}

// A job is a question, and what becomes of it.
type job[In, Out any] struct {
	Result[In, Out]
	site string
	read time.Time
}

// siteJobs are what there is to do on one site.
type siteJobs[In, Out any] struct {
	jobs   []*job[In, Out] // those in the queue, in their order
	asked  bool            // a question was answered
	behind []*job[In, Out] // those that wait for the first
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
			b.finish(j)
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
	j := &job[In, Out]{Result: Result[In, Out]{N: b.n, In: x}, site: b.site(x), read: time.Now()}
	b.n++
	b.queue = append(b.queue, j)
	l, known := b.sites[j.site]
	if !known {
		l = new(siteJobs[In, Out])
		b.sites[j.site] = l
	}
	l.jobs = append(l.jobs, j)
	if known && j.site != "" && !l.asked {
		l.behind = append(l.behind, j)
	} else {
		b.ready = append(b.ready, j)
	}
}

// begin begins as many jobs as may be done at once.
func (b *board[In, Out]) begin() {
	for b.making+len(b.waiting) < most && len(b.ready) > 0 {
		j := b.ready[0]
		b.ready = b.ready[1:]
		b.making++
		go func() {
			j.Out = b.do(j.In)
			b.finished <- j // there is room for all that are made
		}()
	}
}

// finish notes that a job is done: others at the site may begin.
func (b *board[In, Out]) finish(j *job[In, Out]) {
	b.making--
	at, _ := slices.BinarySearchFunc(b.waiting, j.N, func(j *job[In, Out], n int) int { return j.N - n })
	b.waiting = slices.Insert(b.waiting, at, j)
	l := b.sites[j.site]
	l.asked = true
	b.ready = append(b.ready, l.behind...)
	l.behind = nil
}

// flush yields the results that may be yielded, and reports whether to go on.
func (b *board[In, Out]) flush() (goesOn bool) {
	for _, j := range slices.Clone(b.waiting) {
		if b.mayYield(j) && !b.take(j) {
			return false
		}
	}
	return true
}

// mayYield reports whether a result need not wait for another: it is the first of all, or
// the first of its site while another site is late.
func (b *board[In, Out]) mayYield(j *job[In, Out]) bool {
	return b.queue[0] == j || b.isLate() && b.sites[j.site].jobs[0] == j
}

// take yields a result, which is the first of its site.
func (b *board[In, Out]) take(j *job[In, Out]) bool {
	b.queue, b.waiting = without(b.queue, j), without(b.waiting, j)
	l := b.sites[j.site]
	if l.jobs = l.jobs[1:]; len(l.jobs) == 0 {
		delete(b.sites, j.site)
	}
	return b.yield(j.Result)
}

// without removes a job that is among these.
func without[In, Out any](jobs []*job[In, Out], j *job[In, Out]) []*job[In, Out] {
	at := slices.Index(jobs, j)
	return slices.Delete(jobs, at, at+1)
}
