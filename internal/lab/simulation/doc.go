// Package simulation crawls a web that is made up, for three days of virtual time. Real
// transports run over a Base that plays a million sites. The robots.txt of the sites are
// real ones, and they change, fail, redirect and expire. The package checks each request
// that arrives, and reports what a crawl of that size takes.
//
//	go test -run TestCrawl -v -timeout 1h ./internal/lab/simulation -origins 1000000 -requests 10000000
//
// Without flags it is a small crawl, of seconds. The files are from the corpus that
// POLITE_CORPUS names, or made up.
package simulation
