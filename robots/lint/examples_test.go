package lint

// An example is a file in which a check finds something, and the place: "line:column".
type example struct{ body, place string }

// examples tell what each check finds, and what it does not. In a file (…)×3 stands for
// three times the text in parentheses.
var examples = map[*check]struct {
	place string // where the check finds something in its own example
	finds []example
	not   []string // files in which it must find nothing
}{
	compressedFound: {
		place: "1:1",
		not: []string{
			"\x1F\x8B",
			"user-agent: *\ndisallow: /\x1F\x8B\b",
		},
	},
	utf16Found: {
		place: "1:1",
		finds: []example{
			{"\xFE\xFF\x00u", "1:1"},
			{"u\x00s\x00e\x00", "1:1"},
			{"\x00u\x00s", "1:1"},
		},
		not: []string{
			"\xFF\xFE\nuser-agent: *\ndisallow: /",
			"user-agent: *\ndisallow: /\x00a\x00b",
			"u\x00s",
			"\x00\x00\x00\x00",
		},
	},
	htmlFound: {
		place: "1:1",
		finds: []example{
			{"\uFEFF\n <html>", "1:1"},
			{"<?xml version='1.0'?>", "1:1"},
		},
		not: []string{
			"<b>\nuser-agent: *\ndisallow: /x",
			"\n \xEF\xBB\xBF<p>",
			"< user",
			"<",
			"# <html>",
		},
	},
	otherFormat: {
		place: "1:1",
		finds: []example{
			{"\uFEFF\n[1, 2]", "1:1"},
			{"{\n  \"a\": \"b\",\n  \"c\": 1\n}", "1:1"},
			{"\x89PNG\r\n\x1A\n\x00\x00\x00\rIHDR", "1:1"},
			{"\x7FELF\x02\x01\x01\n:\n", "1:1"},
			{"GIF89a\x01\x00", "1:1"},
			{"PK\x03\x04\x14\x00", "1:1"},
			{"%PDF-1.4\n1 0 obj\n<< /Type: x >>", "1:1"},
		},
		not: []string{
			"{\nuser-agent: *\ndisallow: /x",
			"user-agent: *\ndisallow: /\x00x",
			"\x00\nsitemap: https://example.com/",
			"hello",
			"\t\r\n\f# nothing",
		},
	},
	emptyFile: {
		place: "1:1",
		finds: []example{
			{"\n\n", "1:1"},
			{"# nothing here", "1:1"},
			{"\uFEFF", "1:1"},
		},
		not: []string{
			"user-agent: *",
			"x",
			"sitemap: https://example.com/",
		},
	},
	noGroupAtAll: {
		place: "1:1",
		finds: []example{
			{"sitemap: https://example.com/s.xml\nfoo: bar", "1:1"},
		},
		not: []string{
			"",
			"sitemap: https://example.com/s.xml",
			"disallow: /",
			"user-agent: a\nfoo",
			"host: example.com",
		},
	},
	tooLarge: {
		place: "255995:1",
		finds: []example{
			{"(#)×512001", "1:1"},
		},
		not: []string{
			"(#\n)×256000",
			"user-agent: *",
		},
	},
	tooManyRules: {
		place: "5002:1",
		not: []string{
			"user-agent: *\n(disallow: /x\n)×5000(disallow:\n)×10",
		},
	},
	byteOrderMarkFound: {
		place: "1:1",
		finds: []example{
			{"\xEF\xBBuser-agent: *", "1:1"},
			{"\xEFuser-agent: *", "1:1"},
		},
		not: []string{
			"user-agent: *",
			"user-agent: *\n\uFEFF",
		},
	},
	loneReturn: {
		place: "1:14",
		finds: []example{
			{"user-agent: *\r\ndisallow: /x\r\r\n\r", "2:13"},
		},
		not: []string{
			"user-agent: *\r\ndisallow: /x\n\r\n",
			"user-agent: *\ndisallow: /x\r",
		},
	},
	mixedLineEnds: {
		place: "2:13",
		finds: []example{
			{"user-agent: *\n\r\ndisallow: /x\n", "2:1"},
		},
		not: []string{
			"user-agent: *\r\ndisallow: /x\r\n",
			"user-agent: *\ndisallow: /x\n",
			"user-agent: *\ndisallow: /x\r",
		},
	},
	notUTF8: {
		place: "2:16",
		not: []string{
			"user-agent: *\ndisallow: /société # soci\xE9t\xE9",
			"# \xFF",
		},
	},
	nulFound: {
		place: "2:13",
		not: []string{
			"user-agent: *\ndisallow: /a # \x00",
		},
	},
	invisibleCharacter: {
		place: "2:13",
		finds: []example{
			{"user-agent: *\ndisallow:\u00a0/x", "2:10"},
			{"user-agent: *\n\u200bdisallow: /x", "2:1"},
			{"user-agent: *\n\uFEFF", "2:1"},
			{"\uFEFF\uFEFFuser-agent: *", "1:4"},
			{"\xEF\uFEFFuser-agent: *", "1:2"},
			{"user-agent: *\ndisallow\u3000: /xy", "2:9"},
		},
		not: []string{
			"user-agent: *\ndisallow: /a\u00a0b",
			"\uFEFFuser-agent: *",
			"user-agent: *\n# \u00a0",
		},
	},
	directionCharacter: {
		place: "2:13",
		finds: []example{
			{"user-agent: *\ndis\u2066allow: /x", "2:4"},
			{"foo: \u200Fbar", "1:6"},
			{"user-agent: a\u061Cb", "1:14"},
		},
		not: []string{
			"user-agent: *\ndisallow: /שלום",
			"user-agent: *\ndisallow: \u202E/x",
			"user-agent: *\n# \u202E",
		},
	},
	longLine: {
		place: "2:16664",
		not: []string{
			"user-agent: *\ndisallow: /(a)×16652",
			"#(a)×20000",
		},
	},
	missingColon: {
		place: "2:3",
		finds: []example{
			{"user-agent: *\nhello", "2:1"},
			{"user-agent: *\ndisallow/x", "2:1"},
			{"Sitemap https://example.com/s.xml", "1:1"},
			{"Sitemap HTTP://example.com/s.xml", "1:1"},
			{"user-agent: *\ndisallow  https://example.com/x", "2:1"},
		},
		not: []string{
			"user-agent: *\ndisallow /x",
			"user-agent: *\n# hello",
			"user-agent: *\n：",
			"user-agent: *\n: x",
		},
	},
	leftOutColon: {
		place: "1:11",
		finds: []example{
			{"user-agent: *\n disallow  /x", "2:10"},
		},
		not: []string{
			"user-agent : *\ndisallow:/x",
			"user-agent: *\nfoo bar",
		},
	},
	wideColon: {
		place: "2:9",
		finds: []example{
			{"sitemap：https://example.com/", "1:8"},
		},
		not: []string{
			"user-agent: *\ndisallow: /：",
			"# disallow：/x",
		},
	},
	missingKey: {
		place: "2:2",
		not: []string{
			"user-agent: *\n# : /x",
		},
	},
	misspelledKey: {
		place: "1:1",
		finds: []example{
			{"user-agent: *\n Dissallow: /x", "2:2"},
			{"site-map: https://example.com/", "1:1"},
		},
		not: []string{
			"USER-AGENT: *\ndisAllow: /x\nSiteMap: https://example.com/",
		},
	},
	longerKey: {
		place: "2:1",
		finds: []example{
			{"sitemaps: https://example.com/", "1:1"},
		},
		not: []string{
			"user-agent: *\ndisallow: /x",
			"user-agent: *\nsite: x",
		},
	},
	mistypedRecord: {
		place: "2:1",
		finds: []example{
			{"user agnet: *", "1:1"},
			{"https://example.com/s.xml", "1:1"},
			{"Crawl delay: 3", "1:1"},
			{"Video Sitemap: https://example.com/s.xml", "1:1"},
			{"image-sitemap: https://example.com/s.xml", "1:1"},
			{"user-agent: *\nBaiduspider  Disallow: /", "2:1"},
		},
		not: []string{
			"user-agent: *\nfoo: /x",
			"user-agent: *\nfoo disallow: /x",
			"host: example.com",
			"user-agent: *\ndisalow: /x",
		},
	},
	unknownRecord: {
		place: "2:1",
		not: []string{
			"host: example.com",
			"content-signal: search=yes",
			"ACAP-crawler: *",
			"user-agent: *\ndsallow: /",
			"visit-time: 0600-0845",
		},
	},
	staleHost: {
		place: "2:1",
		finds: []example{
			{"HOST : https://www.example.com", "1:1"},
		},
		not: []string{
			"user-agent: *\nhosts: example.com",
			"user-agent: *\ndisallow: host:",
		},
	},
	metaRecord: {
		place: "2:1",
		finds: []example{
			{"nofollow: /", "1:1"},
		},
		not: []string{
			"user-agent: *\ndisallow: /noindex",
		},
	},
	attachedComment: {
		place: "2:13",
		not: []string{
			"user-agent: *\ndisallow: /a # b",
			"user-agent: *\ndisallow: #b",
			"user-agent: *\ndisallow: /a# b",
			"user-agent: a#b",
		},
	},
	joinedLines: {
		place: "1:15",
		finds: []example{
			{"user-agent: *\ndisallow: /a  allow : /b", "2:15"},
			{"user-agent: *\nallow: sitemap: /x", "2:8"},
			{"user-agent: *\ndisallow: x user-agent: b", "2:13"},
			{"user-agent: User-agent: *", "1:13"},
			{"user-agent: a, b Disallow: /", "1:18"},
			{"user-agent: *\ncrawl-delay: 10 Disallow: /", "2:17"},
			{"sitemap: https://example.com/ user-agent: *", "1:31"},
		},
		not: []string{
			"user-agent: *\ndisallow: /a:b allow",
			"user-agent: a disallow",
			"user-agent: *\ndisallow: /allow: /x",
			"user-agent: *\ndisallow: /a # allow: /b",
		},
	},
	ruleOutsideGroup: {
		place: "1:1",
		finds: []example{
			{"allow:", "1:1"},
		},
		not: []string{
			"user-agent:\ndisallow: /",
			"user-agent: *\ndisallow: /x",
		},
	},
	emptyUserAgent: {
		place: "1:12",
		finds: []example{
			{"user-agent: # x", "1:12"},
		},
		not: []string{
			"user-agent: *",
		},
	},
	unusableUserAgent: {
		place: "1:13",
		finds: []example{
			{"user-agent: (x)", "1:13"},
		},
		not: []string{
			"user-agent: *",
			"user-agent: * x",
			"user-agent: 008",
			"user-agent:",
		},
	},
	userAgentList: {
		place: "1:14",
		finds: []example{
			{"user-agent: a ; b", "1:15"},
			{"user-agent: GPTBot CCBot", "1:19"},
			{"user-agent: GPTBot | ClaudeBot", "1:19"},
		},
		not: []string{
			"user-agent: a",
			"user-agent: a # b, c",
			"user-agent: a;+1.5",
		},
	},
	cutUserAgent: {
		place: "1:14",
		finds: []example{
			{"user-agent: * x", "1:14"},
			{"user-agent: MS Search 6.0 Robot", "1:15"},
			{"user-agent: Mozilla/5.0 (compatible; YandexBot/3.0)", "1:20"},
			{"user-agent: a/b", "1:14"},
		},
		not: []string{
			"user-agent: Screaming Frog SEO Spider",
			"user-agent: GPTBot CCBot",
			"user-agent: a disallow: /x",
			"user-agent: googlebot",
			"user-agent: mj12bot",
			"user-agent: a,b",
			"user-agent: a/1.2",
		},
	},
	versionInUserAgent: {
		place: "1:22",
		finds: []example{
			{"user-agent: Mediapartners-Google*", "1:33"},
			{"user-agent: a/v1", "1:14"},
			{"user-agent: a/3~b", "1:14"},
			{"user-agent: Googlebot/2.1 (+http://www.google.com/bot.html)", "1:22"},
		},
		not: []string{
			"user-agent: a",
			"user-agent: a/",
			"user-agent: a*b",
			"user-agent: a/1,b",
			"user-agent: a/1 b/2",
			"user-agent: mozilla/5",
			"user-agent: *",
		},
	},
	digitsInUserAgent: {
		place: "1:15",
		finds: []example{
			{"user-agent: example.org_bot", "1:20"},
			{"user-agent: 12bot", "1:13"},
		},
		not: []string{
			"user-agent: Google_bot-News",
			"user-agent: MJ12bot",
			"user-agent: archive.org_bot",
			"user-agent: googlebot/1.2",
			"user-agent: *",
		},
	},
	unreadCrawler: {
		place: "1:13",
		finds: []example{
			{"user-agent: Google\ndisallow: /", "1:13"},
			{"user-agent: *\nuser-agent: OPENAI\ndisallow: /", "2:13"},
			{"user-agent: Bing/1.0\ndisallow: /x", "1:13"},
		},
		not: []string{
			"user-agent: bingbot\ndisallow: /",
			"user-agent: Yandex\nuser-agent: Pinterest\nuser-agent: Diffbot\ndisallow: /", // crawlers read them
			"user-agent: X\nuser-agent: LinkedIn\ndisallow: /",                            // anybody, and nobody has looked
			"user-agent: Microsoft URL Control\ndisallow: /",
			"user-agent: Google-Extended\ndisallow: /",
			"user-agent: ExampleBot\ndisallow: /",
		},
	},
	retiredCrawler: {
		place: "1:13",
		finds: []example{
			{"user-agent: MSNBot\ndisallow: /", "1:13"},
			{"user-agent: GPTBot\nuser-agent: Google-NotebookLM\ndisallow: /", "2:13"},
		},
		not: []string{
			"user-agent: bingbot\ndisallow: /",
			"user-agent: FacebookBot\ndisallow: /", // nobody has looked up what its owner says
			"user-agent: DeepSeekBot\ndisallow: /",
		},
	},
	misspelledCrawler: {
		place: "1:13",
		finds: []example{
			{"user-agent: GPT-Bot", "1:13"},
			{"user-agent: Gogglebot/2.1", "1:13"},
			{"user-agent: Googlebot_News", "1:13"},
			{"user-agent: Google-Extendeded", "1:13"},
			{"user-agent: __usage_ai-trainig\ndisallow: /", "1:13"},
			{"user-agent: __usage_paint\ndisallow: /", "1:13"},
			{"user-agent: _usage_search", "1:13"},
			{"user-agent: __Usage_ai_training", "1:13"},
			{"user-agent: usage_ai-training", "1:13"},
		},
		not: []string{
			"user-agent: googlebot",
			"user-agent: GPTBot",
			"user-agent: ExampleBot",
			"user-agent: roverbot",
			"user-agent: *",
			"user-agent: Google Bot",
			"user-agent: __usage_AI-training",
			"user-agent: UsageBot",
			"user-agent: YOUR_BOT",
		},
	},
	repeatedUserAgent: {
		place: "2:13",
		not: []string{
			"user-agent: a\nuser-agent: b\ndisallow: /",
			"user-agent: a\ndisallow: /\nuser-agent: a",
			"user-agent: (x) allow: /\nuser-agent: (y) allow: /",
		},
	},
	repeatedGroup: {
		place: "3:13",
		not: []string{
			"user-agent: a\nuser-agent: a\ndisallow: /",
			"user-agent: a\ndisallow: /\nuser-agent: ab\nallow: /x",
		},
	},
	joinedGroups: {
		place: "3:13",
		finds: []example{
			{"user-agent: *\n\nuser-agent: b\ndisallow: /", "3:13"},
			{"user-agent: a\n\nfoo\nuser-agent: b\ndisallow: /", "4:13"},
			{"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ndisallow: /", "3:13"},
			{"user-agent: a\nsitemap: https://example.com/\n\nuser-agent: b\ndisallow: /\n", "4:13"},
		},
		not: []string{
			"user-agent: a\n# x\nuser-agent: b\ndisallow: /",
			"user-agent: a\ndisallow:\n\nuser-agent: b\ndisallow: /",
			"user-agent: *\n\ndisallow: /x",
			"user-agent:\n\nuser-agent: b\ndisallow: /",
			"user-agent: a\n\nuser-agent: b",
		},
	},
	blankInAgents: {
		place: "3:13",
		finds: []example{
			{"user-agent: *\nuser-agent: a\n\n\nuser-agent: b", "5:13"},
		},
		not: []string{
			"user-agent: a\n# x\nuser-agent: b",
			"user-agent: a\ndisallow:\n\nuser-agent: b",
			"user-agent: a\n\nuser-agent: *",
			"user-agent: a\n\nfoo\nuser-agent: b",
		},
	},
	patternWithoutSlash: {
		place: "2:11",
		finds: []example{
			{"user-agent: *\nallow: \\x\\", "2:8"},
			{"user-agent: *\nallow: “/x”", "2:8"},
			{"user-agent: *\ndisallow: index.php/x", "2:11"},
		},
		not: []string{
			"user-agent: *\ndisallow: \u00a0/x",
			"user-agent: *\ndisallow: /x\ndisallow: *x\ndisallow:",
			"user-agent: *\ndisallow: https://example.com/",
		},
	},
	urlAsPattern: {
		place: "2:11",
		finds: []example{
			{"user-agent: *\ndisallow: WWW.example.es", "2:11"},
			{"user-agent: *\ndisallow: a.example.com/x", "2:11"},
			{"user-agent: *\ndisallow: <https://example.com/x>", "2:12"},
		},
		not: []string{
			"user-agent: *\ndisallow: /https://example.com/",
		},
	},
	twoPatterns: {
		place: "2:14",
		finds: []example{
			{"user-agent: *\ndisallow: /a\t*b", "2:14"},
			{"user-agent: *\ndisallow: /a // b", "2:14"},
			{"user-agent: *\ndisallow: /a  /* b */", "2:15"},
			{"user-agent: *\ndisallow: /a <!-- b -->", "2:14"},
			{"user-agent: *\ndisallow: /a/, /b/", "2:16"},
			{"user-agent: *\ndisallow: /a,/b;/c", "2:14"},
			{"user-agent: *\ndisallow: /a,b,/c d", "2:16"},
		},
		not: []string{
			"user-agent: *\ndisallow: /a,b",
			"user-agent: *\ndisallow: /a,*/b;",
			"user-agent: *\ndisallow: /a b",
			"user-agent: *\ndisallow: /a # /b",
		},
	},
	spaceInPattern: {
		place: "2:13",
		not: []string{
			"user-agent: *\ndisallow: /a /b",
			"user-agent: *\ndisallow: \t/a \t",
		},
	},
	rawNonASCII: {
		place: "2:12",
		not: []string{
			"user-agent: *\ndisallow: /%C3%A9 # é",
			"user-agent: *\ndisallow: /\xE9",
		},
	},
	rawOctet: {
		place: "2:14",
		finds: []example{
			{"user-agent: *\ndisallow: /a?b=\"c", "2:16"},
			{"user-agent: *\ndisallow: /é|", "2:14"},
			{"user-agent: *\ndisallow: /a\x01", "2:13"},
		},
		not: []string{
			"user-agent: *\ndisallow: /*/%7B0%7D/~",
			"user-agent: *\ndisallow: /{\ndisallow: /%7B",
			"user-agent: *\ndisallow: /a\\b",
			"user-agent: *\ndisallow: /(a|b)",
			"user-agent: *\ndisallow: {",
			"user-agent: *\ndisallow: /a b",
			"user-agent: *\ndisallow: /a\x00",
			"user-agent: *\ndisallow: /\xE9<",
		},
	},
	malformedPercent: {
		place: "2:15",
		finds: []example{
			{"user-agent: *\ndisallow: /%zz", "2:12"},
		},
		not: []string{
			"user-agent: *\ndisallow: /100%25",
		},
	},
	encodedWildcard: {
		place: "2:12",
		finds: []example{
			{"user-agent: *\ndisallow: /%24", "2:12"},
		},
		not: []string{
			"user-agent: *\ndisallow: /*x$",
			"user-agent: *\ndisallow: /%2B",
		},
	},
	bracketSpelling: {
		place: "2:15",
		finds: []example{
			{"user-agent: *\ndisallow: /a%5b0", "2:13"},
			{"user-agent: *\ndisallow: /a]", "2:13"},
			{"user-agent: *\ndisallow: /a[\nallow: /a%5B", "2:13"},
			{"user-agent: *\ndisallow: /a[\nuser-agent: b\ndisallow: /a%5B", "2:13"},
		},
		not: []string{
			"user-agent: *\ndisallow: /a[]\ndisallow: /a%5b%5D",
			"user-agent: *\ndisallow: /[a-z]",
			"user-agent: *\ndisallow: /%5Ab",
		},
	},
	encodedPlain: {
		place: "2:12",
		finds: []example{
			{"user-agent: *\ndisallow: /?u=%3A", "2:15"},
		},
		not: []string{
			"user-agent: *\ndisallow: /%3A%2F",
			"user-agent: *\ndisallow: /%62az\ndisallow: /baz",
			"user-agent: *\ndisallow: /%2A",
			"user-agent: *\ndisallow: /%2%46",
		},
	},
	lowerCaseHex: {
		place: "2:12",
		not: []string{
			"user-agent: *\ndisallow: /%C3%A9",
			"user-agent: *\ndisallow: /a%2bb\ndisallow: /a%2Bb",
			"user-agent: *\ndisallow: /%20",
		},
	},
	dollarInside: {
		place: "2:13",
		finds: []example{
			{"user-agent: *\ndisallow: /x$$", "2:13"},
			{"user-agent: *\ndisallow: /*.asp$?", "2:17"},
			{"user-agent: *\ndisallow: /*.a$|/*.b$", "2:15"},
			{"user-agent: *\ndisallow: /*.pdf$/", "2:17"},
			{"user-agent: *\ndisallow: /$a/*.php$&", "2:20"},
		},
		not: []string{
			"user-agent: *\ndisallow: /x$",
			"user-agent: *\ndisallow: /$price",
			"user-agent: *\ndisallow: /*?price=10$-20$",
			"user-agent: *\ndisallow: /$RECYCLE.BIN/",
		},
	},
	repeatedStar: {
		place: "2:14",
		not: []string{
			"user-agent: *\ndisallow: /a/*/*/b",
			"user-agent: *\ndisallow: /a**c\nallow: /*bc",
		},
	},
	trailingStar: {
		place: "2:13",
		finds: []example{
			{"user-agent: *\ndisallow: /a*$", "2:13"},
			{"user-agent: *\ndisallow: /a*\nallow: /ab", "2:13"},
		},
		not: []string{
			"user-agent: *\ndisallow: /*/.$",
			"user-agent: *\ndisallow: /ab*\nallow: /*b",
			"user-agent: *\nallow: /ab*\ndisallow: /a*b",
			"user-agent: *\ndisallow: /ab*$\nallow: /a*c",
			"user-agent: *\ndisallow: /a$*",
			"user-agent: *\ndisallow: /a *",
			"user-agent: *\ndisallow: *",
			"user-agent: *\ndisallow: /*a$",
			"user-agent: *\ndisallow: /a**",
		},
	},
	regularExpression: {
		place: "2:12",
		finds: []example{
			{"user-agent: *\ndisallow: /^a", "2:12"},
			{"user-agent: *\ndisallow: /(a|b)", "2:12"},
			{"user-agent: *\ndisallow: /x/1999|2000|2001/y|", "2:18"},
			{"user-agent: *\nallow: /a|b$", "2:10"},
			{"user-agent: *\ndisallow: /[a-z]/", "2:12"},
			{"user-agent: *\ndisallow: /.+", "2:12"},
			{"user-agent: *\ndisallow: /x\\.html", "2:13"},
			{"user-agent: *\ndisallow: /x\\w+", "2:13"},
		},
		not: []string{
			"user-agent: *\ndisallow: /AboutUs\\News",
			"user-agent: *\ndisallow: /a\\Scripts\\",
			"user-agent: *\ndisallow: /a(b)",
			"user-agent: *\ndisallow: /?filter[a]=",
			"user-agent: *\ndisallow: /*.*",
			"user-agent: *\ndisallow: /a|b+c",
			"user-agent: *\ndisallow: /*?order=name|price",
			"user-agent: *\ndisallow: /*.html|",
			"user-agent: *\ndisallow: /|a",
		},
	},
	robotsTxtRule: {
		place: "2:11",
		finds: []example{
			{"user-agent: *\nallow: /robots.txt$", "2:8"},
		},
		not: []string{
			"user-agent: *\ndisallow: /x/robots.txt",
		},
	},
	indexPage: {
		place: "2:8",
		not: []string{
			"user-agent: *\ndisallow: /a/index.html",
			"user-agent: *\nallow: /index/",
			"user-agent: *\nallow: /a/index.html\ndisallow: /a/\nallow: /a/$",
		},
	},
	assetsDisallowed: {
		place: "2:11",
		finds: []example{
			{"user-agent: Googlebot\ndisallow: /*.js$", "2:11"},
			{"user-agent: *\ndisallow: /x/JS/*", "2:11"},
			{"user-agent: *\ndisallow: /wp-includes/", "2:11"},
			{"user-agent: *\ndisallow: /wp-content/", "2:11"},
			{"user-agent: *\ndisallow: /wp-content/themes/", "2:11"},
			{"user-agent: *\ndisallow: /blog/wp-content/plugins/*", "2:11"},
			{"user-agent: *\ndisallow: /_next/", "2:11"},
			{"user-agent: *\ndisallow: /assets/", "2:11"},
			{"user-agent: *\ndisallow: /*.js?", "2:11"},
			{"user-agent: *\ndisallow: /*.css?*", "2:11"},
			{"user-agent: *\ndisallow: /wp-includes/\nallow: /js", "2:11"},
		},
		not: []string{
			"user-agent: *\ndisallow: /wp-content/uploads/\ndisallow: /themes/\ndisallow: /plugins/",
			"user-agent: *\ndisallow: /wp-includes/\nallow: /wp-includes/js/",
			"user-agent: *\ndisallow: /wp-content/\nallow: /wp-content/*.css",
			"user-agent: *\ndisallow: /*?\ndisallow: /news?",
			"user-agent: other\ndisallow: /css/",
			"user-agent: *\nallow: /css/",
			"user-agent: *\ndisallow: /css/\nallow: /x\ndisallow: /",
			"user-agent: *\ndisallow: /news/\ndisallow: /a.css",
		},
	},
	duplicateRule: {
		place: "3:11",
		finds: []example{
			{"user-agent: *\nallow: /x\ndisallow: /\nallow: /x # too", "4:8"},
		},
		not: []string{
			"user-agent: *\ndisallow: /x\ndisallow: /X",
			"user-agent: *\ndisallow: /x\ndisallow: /%78",
			"user-agent: *\ndisallow: /{\ndisallow: /%7B",
			"user-agent: *\ndisallow: /a%20b\ndisallow: /a b",
			"user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /x",
			"user-agent: a\ndisallow: /x\nuser-agent: a\ndisallow: /x",
		},
	},
	overruledForOne: {
		place: "6:11",
		finds: []example{
			{"user-agent: a\nallow: /$\n\nuser-agent: a\nuser-agent: b\ndisallow: /$", "6:11"},
			{"user-agent: a\nuser-agent: b\ndisallow: /x\n\nuser-agent: b\nallow: /x*", "3:11"},
			{"user-agent: a\nuser-agent: b\nallow: /x\n\nuser-agent: c\nuser-agent: b\ndisallow: /x*", "3:8"},
		},
		not: []string{
			"user-agent: a\nallow: /\n\nuser-agent: b\ndisallow: /",
			"user-agent: a\nallow: /x\n\nuser-agent: a\nuser-agent: b\ndisallow: /",
			"user-agent: a\ndisallow: /\n\nuser-agent: a\nuser-agent: b\ndisallow: /",
			"user-agent: a\nuser-agent: b\ndisallow: /x\nallow: /x\n\nuser-agent: a\ndisallow: /y",
			"user-agent: a\nallow: /robots.txt\n\nuser-agent: a\nuser-agent: b\ndisallow: /robots.txt",
		},
	},
	neverWins: {
		place: "2:11",
		finds: []example{
			{"user-agent: *\nallow: /x\ndisallow: /x*", "2:8"},
			{"user-agent: *\nallow: /x/\ndisallow: */x/", "2:8"},
			{"user-agent: *\ndisallow: /\nallow: *", "2:11"},
			{"user-agent: *\ndisallow: /*/{a}\nallow: /*/{a}", "2:11"},
			{"user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /\nuser-agent: a\nallow: /x", "2:11"},
		},
		not: []string{
			"user-agent: *\ndisallow: /x\nallow: /x/",
			"user-agent: *\nallow: /x$\ndisallow: /xy",
			"user-agent: a\ndisallow: /x\nuser-agent: b\nallow: /x",
			"user-agent: *\ndisallow: /robots.txt\nallow: /robots.txt",
		},
	},
	redundantRule: {
		place: "3:11",
		finds: []example{
			{"user-agent: *\ndisallow: /x\ndisallow: /x*", "2:11"},
			{"user-agent: *\ndisallow: /x\ndisallow: /*.php\ndisallow: /x.php", "4:11"},
			{"user-agent: *\ndisallow: /\nallow: /x\nallow: /x/y", "4:8"},
		},
		not: []string{
			"user-agent: *\ndisallow: /blog\nallow: /blog\nallow: /",
			"user-agent: *\ndisallow: *\nallow: **$\ndisallow: /",
			"user-agent: *\ndisallow: /\nallow: /x\ndisallow: /x/y",
			"user-agent: *\ndisallow: /\nallow: /*.css\ndisallow: /folder",
			"user-agent: *\ndisallow: /x\ndisallow: /xy$\nallow: /x*y",
			"user-agent: a\ndisallow: /x/y\nuser-agent: b\nuser-agent: a\ndisallow: /x",
			"user-agent: MJ12bot\ndisallow: /x\ndisallow: /x/yz\nuser-agent: mj\nallow: /x/y",
		},
	},
	allowWithoutEffect: {
		place: "3:8",
		finds: []example{
			{"user-agent: *\nallow: /y", "2:8"},
		},
		not: []string{
			"user-agent: *\nallow: /",
			"user-agent: *\ndisallow: /\nallow: /y",
			"user-agent: *\nallow: /y\ndisallow: /y/z",
			"user-agent: *\ndisallow: *.gif\nallow: /y",
			"user-agent: *\nallow: /\ndisallow: /x",
			"user-agent: *\ndisallow: /a\nallow: /a\ndisallow: /b",
			"user-agent: *\ndisallow: /x\nallow: /robots.txt",
		},
	},
	shorterAllow: {
		place: "3:8",
		finds: []example{
			{"user-agent: *\ndisallow: /wp-includes/\nallow: *.css\ndisallow: /wp-content/", "3:8"},
		},
		not: []string{
			"user-agent: *\ndisallow: /private/\nallow: /private/*.pdf$",
			"user-agent: *\ndisallow: /private/\ndisallow: /x\nallow: /*.pdf$",
			"user-agent: *\nallow: /*\ndisallow: /private/",
			"user-agent: *\nallow: /blog\ndisallow: /*?sort=",
			"user-agent: *\nallow: *.css\ndisallow: /*?sort=",
			"user-agent: *\nallow: *\ndisallow: https://example.com/",
			"user-agent: *\nallow: /a$\ndisallow: /ab",
			"user-agent: *\nallow: /blog\ndisallow: /blog/x",
		},
	},
	emptyRuleWithoutEffect: {
		place: "3:1",
		finds: []example{
			{"user-agent: *\nallow:", "2:1"},
			{"user-agent: *\ndisallow: /x\n\nuser-agent: *\ndisallow:\n\nsitemap: https://example.com/", "5:1"},
			{"user-agent: a\nuser-agent: b\ndisallow:\n\nuser-agent: B\ndisallow: /x", "3:1"},
		},
		not: []string{
			"user-agent: *\ndisallow:\n\nuser-agent: *\ndisallow:",
			"user-agent: *\ndisallow:",
			"user-agent: a\ndisallow:\nuser-agent: b\ndisallow: /x",
		},
	},
	everythingDisallowed: {
		place: "2:11",
		finds: []example{
			{"user-agent: a\nuser-agent: *\ndisallow: /x\ndisallow: /*", "4:11"},
			{"user-agent: *\ndisallow: /*$", "2:11"},
			{"user-agent: *\ndisallow: /\nuser-agent: b\ndisallow: /", "2:11"},
			{"user-agent: *\ndisallow: /\nuser-agent: *\ndisallow: /x", "2:11"},
			{"user-agent: *\ndisallow:\nuser-agent: GoogleBot\ndisallow: /", "4:11"},
			{"user-agent: *\ndisallow: /\nuser-agent: GoogleBot\ndisallow: /", "2:11"},
			{"user-agent: *\ndisallow: /\nuser-agent: GoogleBot\ndisallow: /", "4:11"},
			{"user-agent: *\ndisallow: /\nallow: /$", "2:11"},
			{"user-agent: Googlebot\nallow: /$\ndisallow: /", "3:11"},
			{"user-agent: *\ndisallow: /\nallow: /wp-admin/admin-ajax.php", "2:11"},
			{"user-agent: *\ndisallow: /\nuser-agent: MyMonitor\ndisallow:", "2:11"},
			{"user-agent: Googlebot\nuser-agent: bingbot\nallow: /licensing$\nallow: /ads.txt\ndisallow: /", "5:11"},
			{"user-agent: *\ndisallow: /\n\nuser-agent: bingbot\ndisallow: /\nallow: /x", "2:11"},
		},
		not: []string{
			"user-agent: *\ndisallow: /\nuser-agent: DuckDuckBot\ndisallow:",
			"user-agent: *\ndisallow: /\nallow: /",
			"user-agent: googlebot\ndisallow: /\nuser-agent: googlebot\nuser-agent: b\nallow: /",
			"user-agent: Googlebot-Image\ndisallow: /",
			"user-agent: a\ndisallow: /",
			"user-agent: *\ndisallow: /x",
			"user-agent: *\ndisallow: /$",
		},
	},
	engineShut: {
		place: "2:11",
		finds: []example{
			{"user-agent: DuckDuckBot\nuser-agent: SeznamBot\ndisallow: /\nallow: /about", "3:11"},
		},
		not: []string{
			"user-agent: Googlebot-Image\ndisallow: /",
			"user-agent: Googlebot\nuser-agent: Baiduspider\ndisallow: /",
			"user-agent: Baiduspider\nuser-agent: *\ndisallow: /",
			"user-agent: GPTBot\ndisallow: /",
			"user-agent: Baiduspider\ndisallow: /x",
		},
	},
	groupWithoutRules: {
		place: "3:13",
		not: []string{
			"user-agent: a\ndisallow:\nuser-agent: b\ncrawl-delay: 3",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ncrawl-delay: 3\ndisallow:",
			"user-agent: *\ndisallow: /x\nuser-agent: b",
			"user-agent: *\ndisallow: /\nuser-agent: b\ncrawl-delay: 3",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ncrawl-delay: 3\nuser-agent: *\ndisallow: /y",
		},
	},
	notInherited: {
		place: "3:13",
		finds: []example{
			{"user-agent: *\ndisallow: /x\nuser-agent: b\nallow: /\ndisallow: /y", "3:13"},
			{"user-agent: Googlebot\nallow: /\n\nuser-agent: *\ndisallow: /x", "1:13"},
			{"user-agent: Twitterbot\nuser-agent: bingbot\ncrawl-delay: 1\nallow: /*\n\nuser-agent: *\ndisallow: /x", "1:13"},
		},
		not: []string{
			"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /x\ndisallow: /y",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /x/y",
			"user-agent: *\ndisallow: /x\nuser-agent: b\nallow: /",
			"user-agent: *\ndisallow: /x\nuser-agent: Twitterbot\nallow: /",
			"user-agent: *\ndisallow: /x\nuser-agent: Googlebot\nallow: /\ndisallow:",
			"user-agent: *\ndisallow: /\nuser-agent: Googlebot\nallow: /",
			"user-agent: *\ndisallow: /x\nuser-agent: Googlebot\nallow: /x\nallow: /",
			"user-agent: *\ndisallow: /\nuser-agent: b\ndisallow: /y",
			"user-agent: *\ndisallow: /x\nuser-agent: __usage_ai-training\ndisallow: /y\nuser-agent: _usage_search\ndisallow: /z",
		},
	},
	badDelay: {
		place: "2:14",
		finds: []example{
			{"user-agent: *\ncrawl-delay: {{ delay }}", "2:14"},
			{"user-agent: *\ncrawl-delay: -1", "2:14"},
			{"user-agent: *\ncrawl-delay: 99999999", "2:14"},
			{"user-agent: *\ncrawl-delay: 0,5", "2:14"},
			{"user-agent: *\nrequest-rate: 10", "2:15"},
			{"user-agent: *\ncrawl-delay:", "2:13"},
			{"user-agent: *\ncrawl-delay: 31536000", "2:14"},
		},
		not: []string{
			"user-agent: *\ncrawl-delay: 1.5\n",
			"user-agent: *\nrequest-rate: 1/10m",
		},
	},
	longDelay: {
		place: "2:14",
		finds: []example{
			{"user-agent: *\nrequest-rate: 1/1m", "2:15"},
		},
		not: []string{
			"user-agent: *\ncrawl-delay: 30",
		},
	},
	delayOutsideGroup: {
		place: "1:1",
		not: []string{
			"user-agent: *\ncrawl-delay: 3",
		},
	},
	repeatedDelay: {
		place: "3:14",
		finds: []example{
			{"user-agent: *\ncrawl-delay: 3\nrequest-rate: 1/3\ndisallow: /x\ncrawl-delay: 4", "5:14"},
		},
		not: []string{
			"user-agent: *\ncrawl-delay: 3\nrequest-rate: 1/3",
			"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ncrawl-delay: 4",
			"user-agent: a\ncrawl-delay: x\ncrawl-delay: 4",
			"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ncrawl-delay: 4",
		},
	},
	delayForGoogle: {
		place: "2:14",
		finds: []example{
			{"user-agent: googlebot-news\ncrawl-delay: 3", "2:14"},
			{"user-agent: Yandex\ncrawl-delay: 3", "2:14"},
			{"user-agent: YandexBot\nuser-agent: MojeekBot\ncrawl-delay: 3", "3:14"},
			{"user-agent: a\ncrawl-delay: 1\nuser-agent: googlebot\ncrawl-delay: 3", "4:14"},
			{"user-agent: googlebot\nuser-agent: googlebot-news\ncrawl-delay: soon\ncrawl-delay: 3", "4:14"},
		},
		not: []string{
			"user-agent: *\ncrawl-delay: 3",
			"crawl-delay: 3",
			"user-agent: googlebot\nrequest-rate: 1/3\nuser-agent: a\ncrawl-delay: 3",
			"user-agent: googlebot\ncrawl-delay: soon",
			"user-agent: googlebot\nuser-agent: bingbot\ncrawl-delay: 3",
		},
	},
	repeatedSitemap: {
		place: "2:10",
		finds: []example{
			{"sitemap: https://example.com/s.xml\nuser-agent: *\ndisallow: /x\nSitemap: https://example.com/s.xml # too", "4:10"},
		},
		not: []string{
			"sitemap: https://example.com/s.xml\nsitemap: https://example.com/S.xml",
			"sitemap: https://example.com/s.xml\nsitemap: http://example.com/s.xml",
		},
	},
	sitemapDisallowed: {
		place: "3:10",
		finds: []example{
			{"sitemap: https://example.com/x/s.xml?a\nuser-agent: *\ndisallow: /*?\n", "1:10"},
			{"sitemap: https://example.com/%78.xml\nuser-agent: *\ndisallow: /x\n", "1:10"},
			{"user-agent: *\ndisallow: /*.xml$\nallow: /s\nsitemap: https://example.com/s.xml", "4:10"},
		},
		not: []string{
			"user-agent: *\ndisallow: /\nsitemap: https://example.com/s.xml",
			"user-agent: a\ndisallow: /s\nsitemap: https://example.com/s.xml",
			"user-agent: *\ndisallow: /s\nallow: /s.xml\nsitemap: https://example.com/s.xml",
			"user-agent: *\ndisallow: /s\nsitemap: https://example.com",
			"sitemap: https://example.com/s.xml",
		},
	},
	badSitemap: {
		place: "1:10",
		finds: []example{
			{"sitemap: https://{{ host }}/s.xml", "1:18"},
			{"sitemap: https://YOUR_DOMAIN/s.xml", "1:18"},
			{"sitemap:", "1:9"},
			{"sitemap: https:///s.xml", "1:10"},
			{"sitemap: http://localhost:8080/s.xml", "1:10"},
			{"sitemap: http://[::1]/s.xml", "1:10"},
			{"sitemap: https://example.com/robots.txt", "1:10"},
			{"sitemap: ftp://example.com/", "1:10"},
			{"sitemap: https://example.com/a, https://example.com/b", "1:31"},
			{"sitemap: https://example.com/a b", "1:31"},
			{"sitemap: https://example.com/a\tb c", "1:31"},
			{"sitemap: https:// example.com/", "1:10"},
			{"sitemap: <https://example.com/s.xml>", "1:10"},
			{"sitemap: \"https://example.com/s.xml\"", "1:10"},
		},
		not: []string{
			"sitemap: https://example.com/a,b",
			"sitemap: \u00a0https://example.com/",
			"sitemap: https://example.com/ sitemap: https://example.com/b",
			"sitemap: https://example.com/s.xml",
			"Sitemap: HTTP://other.example/",
		},
	},
	misspelledUse: {
		place: "2:29",
		finds: []example{
			{"user-agent: *\ncontent-signal: train-ai=no", "2:17"},
			{"user-agent: *\ncontent-signal: search=yes, ai-traning=no", "2:29"},
			{"user-agent: *\ncontent-usage: /a train_ai=n", "2:19"},
			{"user-agent: *\ncontent-usage: search=y, ai-train=n", "2:26"},
			{"content-signal: serach=yes", "1:17"},
			{"content-signal: ai-training=no", "1:17"},
		},
		not: []string{
			"user-agent: *\ncontent-signal: search=yes, AI-input=no, ai-train=no, use=full",
			"user-agent: *\ncontent-usage: search=y, train-ai=n, ai-use=n, ai-input=n",
			"user-agent: *\ncontent-signal: paint=no",
			"user-agent: *\nhost: ai_train=no",
		},
	},
	usageValue: {
		place: "2:29",
		finds: []example{
			{"user-agent: *\ncontent-signal: ai-train", "2:17"},
			{"user-agent: *\ncontent-usage: train-ai=no", "2:16"},
			{"user-agent: *\ncontent-usage: /a train-ai", "2:19"},
			{"user-agent: *\n" + `content-usage: train-ai="n"`, "2:16"},
			{"content-signal: use=some", "1:17"},
			{"content-usage: train-ai=y; search=n", "1:16"},
			{"content-signal: ai-train = no\tSearch =yes", "1:17"},
			{"content-signal: search=yes;train-ai=no", "1:17"},
		},
		not: []string{
			"user-agent: *\ncontent-signal: search=YES, ai-train=no, use=reference",
			"user-agent: *\ncontent-usage: train-ai=n;x=1, paint=some",
			"user-agent: *\ncontent-signal: paint=some",
		},
	},
	malformedUsage: {
		place: "2:16",
		finds: []example{
			{"user-agent: *\ncontent-usage: train-ai=n search=y", "2:16"},
			{"user-agent: *\ncontent-usage: train-ai: n", "2:16"},
			{"user-agent: *\ncontent-usage: /a", "2:16"},
			{"user-agent: *\ncontent-usage:", "2:15"},
			{"user-agent: *\ncontent-usage: *.pdf train-ai=n", "2:16"},
			{"content-usage: /a/ train-ai=n,", "1:20"},
		},
		not: []string{
			"user-agent: *\ncontent-usage: /*.pdf train-ai=n",
			"user-agent: *\ncontent-usage: train-ai=n , search",
			"user-agent: *\ncontent-signal: Train-AI=no no",
		},
	},
	pathInSignal: {
		place: "2:17",
		finds: []example{
			{"content-signal: *.pdf ai-train=no", "1:17"},
		},
		not: []string{
			"user-agent: *\ncontent-usage: /news/ train-ai=n",
			"user-agent: *\ncontent-signal: ai-train=no",
		},
	},
	usageNotInherited: {
		place: "2:17",
		finds: []example{
			{"user-agent: b\nallow: /\n\nuser-agent: *\nallow: /\ncontent-usage: train-ai=n", "6:16"},
		},
		not: []string{
			"user-agent: *\ncontent-signal: ai-train=no\n\nuser-agent: b\ncontent-signal: ai-train=no\ndisallow: /y",
			"user-agent: *\nuser-agent: b\ncontent-signal: ai-train=no\ndisallow: /x\n\nuser-agent: b\ndisallow: /y",
			"user-agent: *\ncontent-signal: ai-train=no\ndisallow: /x\n\nuser-agent: b\ndisallow: /",
			"user-agent: *\ncontent-signal: ai-train=no\ndisallow: /x\n\nuser-agent: __usage_search\nallow: /",
			"user-agent: b\ncontent-signal: ai-train=no\ndisallow: /x\n\nuser-agent: *\ndisallow: /y",
			"user-agent: *\ncontent-signal: ai-train=no\ndisallow: /x",
		},
	},
	contradictingUses: {
		place: "3:16",
		finds: []example{
			{"user-agent: *\ncontent-signal: search=no, ai-train=no, search=yes", "2:17"},
			{"user-agent: *\ncontent-usage: /a train-ai=n\ncontent-usage: /%61 search=y, train-ai=y", "3:31"},
			{"content-signal: search=no\ncontent-signal: search=yes", "2:17"},
		},
		not: []string{
			"user-agent: *\ncontent-signal: ai-train=no\ncontent-usage: train-ai=n, search=y",
			"user-agent: *\ncontent-usage: train-ai=n\ncontent-usage: /a train-ai=y",
			"user-agent: *\ncontent-signal: search=no\ndisallow:\nuser-agent: b\ncontent-signal: search=yes",
			"content-signal: search=no\nuser-agent: b\ncontent-signal: search=yes",
			"user-agent: *\ncontent-usage: train-ai=y, train-ai=n",
		},
	},
	useOfNothing: {
		place: "2:17",
		finds: []example{
			{"user-agent: a\ndisallow: /\ncontent-usage: /x train-ai=y\ncontent-signal: search=yes", "3:16"},
		},
		not: []string{
			"user-agent: *\ncontent-signal: search=no, ai-train=no\ndisallow: /",
			"user-agent: *\ncontent-signal: search=yes\ndisallow: /\nallow: /x",
			"user-agent: __usage_ai-training\ncontent-signal: search=yes\ndisallow: /",
			"user-agent: a\ncontent-signal: search=yes\ndisallow: /\nuser-agent: a\nallow: /x",
			"content-signal: search=yes\nuser-agent: *\ndisallow: /",
			"user-agent: *\ncontent-signal: search=yes\ndisallow: /x",
		},
	},
	unreadUsage: {
		place: "2:17",
		finds: []example{
			{"user-agent: *x\ncontent-usage: train-ai=n", "2:16"},
		},
		not: []string{
			"user-agent: *\ncontent-signal: ai-train=no",
			"content-signal: ai-train=no\nuser-agent:\ndisallow: /",
			"user-agent:\nuser-agent: a\ncontent-signal: ai-train=no",
			"user-agent:\ncontent-signal: ai-train=no\nuser-agent: a\ndisallow: /",
		},
	},
	unknownUse: {
		place: "2:29",
		not:   []string{"user-agent: *\ncontent-signal: search=yes, use=full", "user-agent: *\ncontent-signal: ai-traning=no", "user-agent: *\ncontent-usage: ai-use=n"},
	},
	signalOutsideGroup: {
		place: "1:1",
		not:   []string{"user-agent: *\ncontent-signal: ai-train=no\ndisallow: /x", "content-usage: train-ai=n\nuser-agent: *\ndisallow: /x"},
	},
	badLicense: {
		place: "1:10",
		finds: []example{{"license: example.com/rsl.xml", "1:10"}, {"user-agent: *\nlicense:", "2:9"}},
		not:   []string{"license: https://example.com/rsl.xml"},
	},
	unfilledTemplate: {
		place: "2:17",
		finds: []example{{"user-agent: *\ndisallow: {{ path }}", "2:11"}, {"user-agent: *\ndisallow: /${id}", "2:12"}, {"user-agent: *\nallow: /<%= x %>", "2:9"}, {"user-agent: *\nallow: /{% x %}", "2:9"},
			{"user-agent: *\ndisallow: /__TENANT__/", "2:12"}, {"user-agent: *\ndisallow: /a_b/YOUR_FOLDER/", "2:16"}, {"user-agent: *\ndisallow: /<path>/", "2:12"},
			{"user-agent: *\ndisallow: /<your domain>/", "2:12"}, {"user-agent: *\ndisallow: /%TENANT%/", "2:12"}, {"user-agent: *\ndisallow: /%ADMIN%/", "2:12"},
			{"user-agent: *\ndisallow: /<?= $x ?>/", "2:12"}, {"user-agent: *\ndisallow: /{{*}}/{{ id }}", "2:18"},
			{"user-agent: *\ndisallow: /a/{folder}/", "2:14"}, {"user-agent: *\ndisallow: /[YOUR-PATH]", "2:12"}, {"user-agent: *\ndisallow: [YOUR PATH]/", "2:11"},
			{"user-agent: *\ndisallow: /path/to/folder/", "2:12"}, {"user-agent: *\nallow: /path/to", "2:9"}, {"user-agent: *\ndisallow: /your-folder/*", "2:12"},
			{"user-agent: *\ndisallow: /TODO/", "2:12"}, {"user-agent: *\ndisallow: TODO", "2:11"}, {"user-agent: TODO\ndisallow: /", "1:13"},
			{"user-agent: YOUR_BOT_NAME\ndisallow: /", "1:13"}, {"user-agent: {{ bot }}\ndisallow: /", "1:13"}, {"user-agent: YOUR_BOT\ndisallow: /", "1:13"}},
		not: []string{"user-agent: *\ndisallow: /todo", "user-agent: *\ndisallow: /TODOS/", "user-agent: *\ndisallow: /paths/to/", "user-agent: *\ndisallow: /path/", "user-agent: *\ndisallow: /path/tools/",
			"user-agent: *\ndisallow: /example/", "user-agent: *\ndisallow: /folder/", "user-agent: *\ndisallow: /your-jobs/", // real files have them
			"user-agent: *\ndisallow: /__MACOSX/", "user-agent: *\ndisallow: /__init__.py", "user-agent: *\ndisallow: /GET_YOUR_COPY", "user-agent: *\ndisallow: /YOUR_", "user-agent: YourBot\ndisallow: /", "user-agent: *\ndisallow: /[YOURS]", "user-agent: *\ndisallow: /?a[your-path]=",
			"user-agent: *\ndisallow: *<br/>*", "user-agent: *\ndisallow: /%E3%83%84%AB", "user-agent: *\ndisallow: /%CAFE%20", "user-agent: *\ndisallow: /%DE%", "user-agent: *\ndisallow: /*{{*}}", "user-agent: *\ndisallow: /*{{", "user-agent: *\ndisallow: */{link}", "user-agent: *\ndisallow: /{0}/", "user-agent: *\ndisallow: /${}"},
	},
	hostInPattern: {
		place: "2:11",
		finds: []example{{"user-agent: *\nallow: /www.example.de/x", "2:8"}},
		not:   []string{"user-agent: *\ndisallow: /example.com", "user-agent: *\ndisallow: /a/example.com/x", "user-agent: *\ndisallow: /x.html/"},
	},
	dotSegment: {
		place: "2:13",
		finds: []example{{"user-agent: *\ndisallow: /./a", "2:11"}, {"user-agent: *\nallow: /a/..$", "2:10"}, {"user-agent: *\ndisallow: /*/../*", "2:13"}},
		not:   []string{"user-agent: *\ndisallow: /.", "user-agent: *\ndisallow: /.git/", "user-agent: *\ndisallow: /a..", "user-agent: *\ndisallow: /...", "user-agent: *\ndisallow: /a?b=/../"},
	},
	homePage: {
		place: "2:11",
		not:   []string{"user-agent: *\nallow: /$\ndisallow: /x", "user-agent: *\ndisallow: /"},
	},
	policyToken: {
		place: "1:13",
		finds: []example{{"user-agent: __USAGE_search\ndisallow: /", "1:13"}},
		not:   []string{"user-agent: __usage_paint\ndisallow: /", "user-agent: usage_ai-training\ndisallow: /", "user-agent: __usage_ai-trainig\ndisallow: /", "user-agent: *\ndisallow: /__usage_ai-training"},
	},
	disobeyingCrawler: {
		place: "1:13",
		not:   []string{"user-agent: GPTBot\ndisallow: /", "user-agent: Bytespider\ndisallow: /"},
	},
	unknownIgnore: {
		place: "2:23",
		finds: []example{
			{"user-agent: *\ndisallow: /x* # polite-lint: ignore trailing-star, repeted-star", "2:52"},
			{"# polite-lint: ignore", "1:22"},
			{"# polite-lint: skip html", "1:16"},
			{"\uFEFF#polite-lint:ignore x", "1:24"},
		},
		not: []string{
			"# polite-lint: ignore html",
			"#polite-lint:ignore html,utf-16 , empty-file",
			"# polite-lint",
			"polite-lint: ignore x",
			"x: y #z # polite-lint: ignore x",
		},
	},
}
