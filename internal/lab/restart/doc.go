// Package restart lets a crawler die and come back. It crawls a web, remembers what it learns
// in a file of package boltstore, and is killed. A judge then reads the log of the web, and
// finds each robots.txt that was asked for twice, and each request that came too soon or in a
// break.
//
// TestRestarts plays the crawler in virtual time. In long runs, TestKilledProcesses kills real
// processes that crawl a web on sockets:
//
//	POLITE_LONG=1 go test -run TestKilled -v -timeout 1h ./internal/lab/restart -origins 1000 -kills 50
package restart
