// Package restart lets a crawler die and come back. The crawler is a process of its own. It
// crawls a web on sockets, remembers what it learns in a file of package boltstore, and is
// killed at random moments. The log of the web is then judged: what a site was asked twice,
// what came too soon, what came in a break.
//
//	go test -run TestRestarts -v -timeout 1h ./internal/restart -origins 1000 -kills 50
//
// Without flags it is a small crawl, of seconds.
//
// The package also measures what a file with many origins takes, and what it costs to
// remember. The files are those of the corpus that POLITE_CORPUS names:
//
//	go test -run '^$' -bench Remember -benchtime 1x -timeout 1h ./internal/restart -remembered 1000000
package restart
