// Package manners compares how clients treat a site. It crawls many kinds of sites in virtual
// time: with package lane, as a Transport does, and with the controllers of others. It prints how
// much of what the site allows each of them gets, and how many of the answers were bad, as means
// of five seeds:
//
//	go test ./internal/lab/manners -v -run TestPrint -timeout 1h -table
//
// It also draws what the sites see:
//
//	go test ./internal/lab/manners -v -run TestPrint -svg docs/manners
//
// It has only tests.
package manners
