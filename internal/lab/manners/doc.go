// Command manners compares how clients treat a site. It crawls many kinds of sites in
// virtual time, with the controller of polite and with those of others. It prints how much
// of what the site allows each of them gets, and how many of the answers were bad.
//
//	go run ./internal/lab/manners
//
// It also draws what the sites see:
//
//	go run ./internal/lab/manners -svg docs/manners
package main
