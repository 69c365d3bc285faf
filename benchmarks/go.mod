module github.com/go-polite/polite/benchmarks

go 1.26.0

require (
	github.com/go-polite/polite v0.0.0
	github.com/temoto/robotstxt v1.1.2
)

replace github.com/go-polite/polite => ../
