// Package restart lets a crawler die and come back. The crawler is a process of its own.
// It crawls a web on sockets, remembers what it learns in a file of package boltstore,
// and is killed at random moments. A judge then reads the log of the web, and finds each
// robots.txt that was asked for twice, and each request that came too soon or in a break.
//
//	go test -run TestRestarts -v -timeout 1h ./internal/restart -origins 1000 -kills 50
//
// Without flags it is a small crawl, of seconds.
//
// The package also measures the size of a file with many origins, and the cost of
// remembering. The files are from the corpus that POLITE_CORPUS names:
//
//	go test -run '^$' -bench Remember -benchtime 1x -timeout 1h ./internal/restart -remembered 1000000
package restart
