module github.com/go-polite/polite/internal/benchmarks

go 1.26.0

require (
	github.com/go-polite/polite v0.0.0
	github.com/temoto/robotstxt v1.1.2
)

require (
	github.com/dunglas/httpsfv v1.1.2 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/go-polite/polite => ../../
