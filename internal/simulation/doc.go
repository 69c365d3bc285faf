// Package simulation crawls a web that is made up, in virtual time: real
// transports over a Base that plays a million sites, whose robots.txt are real
// ones and change, fail, redirect and expire, for three days. It checks each
// request that arrives, and reports what a crawl of that size takes.
//
//	go test -run TestCrawl -v -timeout 1h ./internal/simulation -origins 1000000 -requests 10000000
//
// Without flags it is a small crawl, of seconds. The files are those of the corpus
// that POLITE_CORPUS names, or made up.
package simulation
