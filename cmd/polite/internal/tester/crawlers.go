package tester

import "github.com/go-polite/polite/robots/crawlers"

// A crawler is a well-known one, in JSON.
type crawler struct {
	Name    string `json:"name"`
	Owner   string `json:"owner"`
	Purpose string `json:"purpose"`
	Manners string `json:"manners"`
	Source  string `json:"source"`
	Looked  string `json:"looked"`
}

type crawlersAnswer struct {
	Crawlers []crawler `json:"crawlers"`
}

func knownCrawlers() crawlersAnswer {
	var all []crawler
	for _, c := range crawlers.All() {
		all = append(all, crawler(c))
	}
	return crawlersAnswer{all}
}
