package main

import _ "embed"

// The texts of "polite help".
var (
	//go:embed help/overview.txt
	usage string
	//go:embed help/get.txt
	getUsage string
	//go:embed help/check.txt
	checkUsage string
	//go:embed help/lint.txt
	lintText string
	//go:embed help/diff.txt
	diffUsage string
	//go:embed help/tester.txt
	testerUsage string
	//go:embed help/run.txt
	runUsage string
	//go:embed help/proxy.txt
	proxyUsage string
	//go:embed help/crawlers.txt
	crawlersUsage string
	//go:embed help/sitemaps.txt
	sitemapsUsage string
	//go:embed help/records.txt
	recordsUsage string
	//go:embed help/cache.txt
	cacheUsage string
	//go:embed help/demo.txt
	demoUsage string
	//go:embed help/completion.txt
	completionUsage string
	//go:embed help/man.txt
	manUsage string
	//go:embed help/version.txt
	versionUsage string

	//go:embed help/guide-robots.txt
	guide string
	//go:embed help/guide-sites.txt
	sitesGuide string
	//go:embed help/guide-usage.txt
	usageGuide string
)
