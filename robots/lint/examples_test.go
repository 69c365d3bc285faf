package lint

// examples tell what each check finds, beside its own example, and what it does not. In a file (…)×3 stands for
// three times the text in parentheses.
var examples = map[*check]struct {
	finds []string
	not   []string // files in which it must find nothing
}{
	compressedFound: {
		not: []string{
			"\x1F\x8B",
			"user-agent: *\ndisallow: /\x1F\x8B\b",
		},
	},
	utf16Found: {
		finds: []string{
			"\xFE\xFF\x00u",
			"u\x00s\x00e\x00",
			"\x00u\x00s",
		},
		not: []string{
			"u\x00\x00\x00", "\x00\x00s\x00", "u\x00s1", "1u\x00s", "\x00\x00\x00s", "\x00uxs", "\x00u\x00\x00",
			"\xFF\xFE\nuser-agent: *\ndisallow: /",
			"user-agent: *\ndisallow: /\x00a\x00b",
			"u\x00s",
			"\x00\x00\x00\x00",
		},
	},
	htmlFound: {
		finds: []string{
			"<z>", "<A>", "<p", "<p>\nuser-agent: (x)",
			"\uFEFF\n <html>",
			"<?xml version='1.0'?>",
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
		finds: []string{
			"\uFEFF\n[1, 2]",
			"{\n  \"a\": \"b\",\n  \"c\": 1\n}",
			"\x89PNG\r\n\x1A\n\x00\x00\x00\rIHDR",
			"\x7FELF\x02\x01\x01\n:\n",
			"GIF89a\x01\x00",
			"PK\x03\x04\x14\x00",
			"%PDF-1.4\n1 0 obj\n<< /Type: x >>",
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
		finds: []string{
			"\n\n",
			"# nothing here",
			"\uFEFF",
		},
		not: []string{
			"user-agent: *",
			"x",
			"sitemap: https://example.com/",
		},
	},
	noGroupAtAll: {
		finds: []string{
			"sitemap: https://example.com/s.xml\nfoo: bar",
		},
		not: []string{
			"disallow: /\nfoo: x",
			"",
			"sitemap: https://example.com/s.xml",
			"disallow: /",
			"user-agent: a\nfoo",
			"host: example.com",
		},
	},
	tooLarge: {
		finds: []string{
			"(#)×512001",
		},
		not: []string{
			"(#\n)×256000",
			"user-agent: *",
		},
	},
	tooManyRules: {
		not: []string{
			"user-agent: *\n(disallow: /x\n)×5000(disallow:\n)×10",
		},
	},
	byteOrderMarkFound: {
		finds: []string{
			"\xEF\xBBuser-agent: *",
			"\xEFuser-agent: *",
		},
		not: []string{
			"user-agent: *",
			"user-agent: *\n\uFEFF",
		},
	},
	loneReturn: {
		finds: []string{
			"user-agent: *\r\ndisallow: /x\r\r\n\r",
		},
		not: []string{
			"user-agent: *\r\ndisallow: /x\n\r\n",
			"user-agent: *\ndisallow: /x\r",
		},
	},
	mixedLineEnds: {
		finds: []string{
			"user-agent: *\n\r\ndisallow: /x\n",
		},
		not: []string{
			"user-agent: *\r\ndisallow: /x\r\n",
			"user-agent: *\ndisallow: /x\n",
			"user-agent: *\ndisallow: /x\r",
		},
	},
	notUTF8: {
		finds: []string{"user-agent: *\n\xffx: y"},
		not: []string{
			"user-agent: *\ndisallow: /société # soci\xE9t\xE9",
			"# \xFF",
		},
	},
	nulFound: {
		not: []string{
			"user-agent: *\ndisallow: /a # \x00",
		},
	},
	invisibleCharacter: {
		finds: []string{
			"user-agent: *\ndisallow: /0\u0085\ndisallow: /1\u00a0\ndisallow: /2\u1680\ndisallow: /3\u202f\ndisallow: /4\u205f\ndisallow: /5\u3000\ndisallow: /6\ufeff\ndisallow: /7\u00ad\ndisallow: /8\u2060\ndisallow: /9\u2000\ndisallow: /10\u200f\ndisallow: /11\u2028\ndisallow: /12\u2029\n",
			"user-agent: *\ndisallow:\u00a0/x",
			"user-agent: *\n\u200bdisallow: /x",
			"user-agent: *\n\uFEFF",
			"\uFEFF\uFEFFuser-agent: *",
			"\xEF\uFEFFuser-agent: *",
			"user-agent: *\ndisallow\u3000: /xy",
		},
		not: []string{
			"user-agent: *\ndisallow: /0\u1fff\ndisallow: /1\u2010\ndisallow: /2\u2027\ndisallow: /3\u2061\n",
			"user-agent: *\ndisallow: /a\u00a0b",
			"\uFEFFuser-agent: *",
			"user-agent: *\n# \u00a0",
		},
	},
	directionCharacter: {
		finds: []string{
			"user-agent: *\ndisallow: /a\u061cb\ndisallow: /a\u200eb\ndisallow: /a\u200fb\ndisallow: /a\u202ab\ndisallow: /a\u202eb\ndisallow: /a\u2066b\ndisallow: /a\u2069b\n",
			"user-agent: *\ndis\u2066allow: /x",
			"foo: \u200Fbar",
			"user-agent: a\u061Cb",
		},
		not: []string{
			"user-agent: *\ndisallow: /a\u202fb\ndisallow: /a\u2065b\ndisallow: /a\u206ab\ndisallow: /a\u2029b\n",
			"user-agent: *\ndisallow: /שלום",
			"user-agent: *\ndisallow: \u202E/x",
			"user-agent: *\n# \u202E",
		},
	},
	longLine: {
		not: []string{
			"user-agent: *\ndisallow: /(a)×16652",
			"#(a)×20000",
		},
	},
	missingColon: {
		finds: []string{
			"user-agent: *\ndisallow/x y", "user-agent: *\nallow*y", "user-agent: *\ncrawl-delay10",
			"user-agent: *\nhello",
			"user-agent: *\ndisallow/x",
			"Sitemap https://example.com/s.xml",
			"Sitemap HTTP://example.com/s.xml",
			"user-agent: *\ndisallow  https://example.com/x",
		},
		not: []string{
			"user-agent: *\ndisallow /x",
			"user-agent: *\n# hello",
			"user-agent: *\n：",
			"user-agent: *\n: x",
		},
	},
	leftOutColon: {
		finds: []string{
			"user-agent: *\n disallow  /x",
		},
		not: []string{
			"user-agent : *\ndisallow:/x",
			"user-agent: *\nfoo bar",
		},
	},
	wideColon: {
		finds: []string{
			"sitemap：https://example.com/",
		},
		not: []string{
			"user-agent: *\ndisallow: /：",
			"# disallow：/x",
		},
	},
	missingKey: {
		not: []string{
			"user-agent: *\n# : /x",
		},
	},
	misspelledKey: {
		finds: []string{
			"user-agent: *\n Dissallow: /x",
			"site-map: https://example.com/",
		},
		not: []string{
			"USER-AGENT: *\ndisAllow: /x\nSiteMap: https://example.com/",
		},
	},
	longerKey: {
		finds: []string{
			"sitemaps: https://example.com/",
		},
		not: []string{
			"user-agent: *\ndisallow: /x",
			"user-agent: *\nsite: x",
		},
	},
	mistypedRecord: {
		finds: []string{
			"user-agent: *\nDsalllow: /x",
			"user agnet: *",
			"https://example.com/s.xml",
			"Crawl delay: 3",
			"Video Sitemap: https://example.com/s.xml",
			"image-sitemap: https://example.com/s.xml",
			"user-agent: *\nBaiduspider  Disallow: /",
			"user-agent: *\n\"Sitemap: https://example.com/s.xml\"",
			"user-agent: *\n- Allow: /x",
		},
		not: []string{
			"image-sitemap: /s.xml",
			"user-agent: *\nfoo: /x",
			"user-agent: *\nfoo disallow: /x",
			"host: example.com",
			"user-agent: *\ndisalow: /x",
		},
	},
	unknownRecord: {
		finds: []string{"user-agent: *\nfoo: *x", "user-agent: *\nfoo:"},
		not: []string{
			"host: example.com",
			"content-signal: search=yes",
			"ACAP-crawler: *",
			"user-agent: *\ndsallow: /",
			"visit-time: 0600-0845",
		},
	},
	staleHost: {
		finds: []string{
			"HOST : https://www.example.com",
		},
		not: []string{
			"user-agent: *\nhosts: example.com",
			"user-agent: *\ndisallow: host:",
		},
	},
	metaRecord: {
		finds: []string{
			"nofollow: /",
			"user-agent: *\nX-Robots-Tag: noindex",
			"user-agent: *\nRobots: noindex",
			"TDM-Reservation: 1",
		},
		not: []string{
			"user-agent: *\ndisallow: /noindex",
		},
	},
	attachedComment: {
		not: []string{
			"user-agent: *\ndisallow: /a # b",
			"user-agent: *\ndisallow: #b",
			"user-agent: *\ndisallow: /a# b",
			"user-agent: a#b",
		},
	},
	joinedLines: {
		finds: []string{
			"user-agent: *\ndisallow: : allow: /x",
			"user-agent: *\ndisallow: /a  allow : /b",
			"user-agent: *\nallow: sitemap: /x",
			"user-agent: *\ndisallow: x user-agent: b",
			"user-agent: User-agent: *",
			"user-agent: a, b Disallow: /",
			"user-agent: *\ncrawl-delay: 10 Disallow: /",
			"sitemap: https://example.com/ user-agent: *",
			"user-agent: *\ndisallow: /a allow:",
		},
		not: []string{
			"user-agent: *\ndisallow: /a:b allow",
			"user-agent: a disallow",
			"user-agent: *\ndisallow: /allow: /x",
			"user-agent: *\ndisallow: /a # allow: /b",
		},
	},
	ruleOutsideGroup: {
		finds: []string{
			"allow:",
		},
		not: []string{
			"user-agent:\ndisallow: /",
			"user-agent: *\ndisallow: /x",
		},
	},
	emptyUserAgent: {
		finds: []string{
			"user-agent: # x",
		},
		not: []string{
			"user-agent: *",
		},
	},
	unusableUserAgent: {
		finds: []string{
			"user-agent: (x)",
			"user-agent: .*",
		},
		not: []string{
			"user-agent: *",
			"user-agent: * x",
			"user-agent: 008",
			"user-agent:",
		},
	},
	userAgentList: {
		finds: []string{
			"user-agent: a ; b",
			"user-agent: GPTBot CCBot",
			"user-agent: GPTBot | ClaudeBot",
		},
		not: []string{
			"user-agent: a",
			"user-agent: a # b, c",
			"user-agent: a;+1.5",
		},
	},
	cutUserAgent: {
		finds: []string{
			"user-agent: Google Bot",
			"user-agent: * x",
			"user-agent: MS Search 6.0 Robot",
			"user-agent: Mozilla/5.0 (compatible; YandexBot/3.0)",
			"user-agent: a/b",
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
		finds: []string{
			"user-agent: Mediapartners-Google*",
			"user-agent: a/v1",
			"user-agent: a/3~b",
			"user-agent: Googlebot/2.1 (+http://www.google.com/bot.html)",
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
		finds: []string{
			"user-agent: example.org_bot",
			"user-agent: 12bot",
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
		finds: []string{
			"user-agent: Google\ndisallow: /",
			"user-agent: *\nuser-agent: OPENAI\ndisallow: /",
			"user-agent: Bing/1.0\ndisallow: /x",
			"user-agent: Google*\ndisallow: /x",
			"user-agent: All\nuser-agent: any\ndisallow: /x",
			"user-agent: all\nuser-agent: Any\ndisallow: /x",
			"user-agent: Baidu\nuser-agent: Yahoo\ndisallow: /x",
			"user-agent: b\nuser-agent: AdsBot\ndisallow: /x",
		},
		not: []string{
			"user-agent: bingbot\ndisallow: /",
			"user-agent: Yandex\nuser-agent: Pinterest\nuser-agent: Diffbot\ndisallow: /", // crawlers read them
			"user-agent: X\nuser-agent: LinkedIn\ndisallow: /",                            // anybody, and nobody has looked
			"user-agent: Microsoft URL Control\ndisallow: /",
			"user-agent: all of them\ndisallow: /",
			"user-agent: Google-Extended\ndisallow: /",
			"user-agent: ExampleBot\ndisallow: /",
		},
	},
	retiredCrawler: {
		finds: []string{
			"user-agent: MSNBot\ndisallow: /",
			"user-agent: GPTBot\nuser-agent: Google-NotebookLM\ndisallow: /",
		},
		not: []string{
			"user-agent: bingbot\ndisallow: /",
			"user-agent: FacebookBot\ndisallow: /", // nobody has looked up what its owner says
			"user-agent: DeepSeekBot\ndisallow: /",
		},
	},
	misspelledCrawler: {
		finds: []string{
			"user-agent: GPT-Bot",
			"user-agent: Gogglebot/2.1",
			"user-agent: Googlebot_News",
			"user-agent: Google-Extendeded",
			"user-agent: __usage_ai-trainig\ndisallow: /",
			"user-agent: __usage_paint\ndisallow: /",
			"user-agent: _usage_search",
			"user-agent: __Usage_ai_training",
			"user-agent: usage_ai-training",
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
		not: []string{
			"user-agent: a\nuser-agent: b\ndisallow: /",
			"user-agent: a\ndisallow: /\nuser-agent: a",
			"user-agent: (x) allow: /\nuser-agent: (y) allow: /",
		},
	},
	repeatedGroup: {
		not: []string{
			"user-agent: a\nuser-agent: a\ndisallow: /",
			"user-agent: a\ndisallow: /\nuser-agent: ab\nallow: /x",
		},
	},
	joinedGroups: {
		finds: []string{
			"user-agent: *\n\nuser-agent: b\ndisallow: /",
			"user-agent: a\n\nfoo\nuser-agent: b\ndisallow: /",
			"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ndisallow: /",
			"user-agent: a\nsitemap: https://example.com/\n\nuser-agent: b\ndisallow: /\n",
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
		finds: []string{
			"user-agent: *\nuser-agent: a\n\n\nuser-agent: b",
		},
		not: []string{
			"user-agent: a\n# x\nuser-agent: b",
			"user-agent: a\ndisallow:\n\nuser-agent: b",
			"user-agent: a\n\nuser-agent: *",
			"user-agent: a\n\nfoo\nuser-agent: b",
		},
	},
	patternWithoutSlash: {
		finds: []string{
			"user-agent: *\ndisallow: \"/\"", "user-agent: *\ndisallow: \"*\"",
			"user-agent: *\nallow: \\x\\",
			"user-agent: *\nallow: “/x”",
			"user-agent: *\ndisallow: index.php/x",
		},
		not: []string{
			"user-agent: *\ndisallow: \u00a0/x",
			"user-agent: *\ndisallow: /x\ndisallow: *x\ndisallow:",
			"user-agent: *\ndisallow: https://example.com/",
		},
	},
	urlAsPattern: {
		finds: []string{
			"user-agent: *\ndisallow: WWW.example.es",
			"user-agent: *\ndisallow: a.example.com/x",
			"user-agent: *\ndisallow: <https://example.com/x>",
		},
		not: []string{
			"user-agent: *\ndisallow: .com",
			"user-agent: *\ndisallow: /https://example.com/",
		},
	},
	twoPatterns: {
		finds: []string{
			"user-agent: *\ndisallow: /a\t*b",
			"user-agent: *\ndisallow: /a // b",
			"user-agent: *\ndisallow: /a  /* b */",
			"user-agent: *\ndisallow: /a <!-- b -->",
			"user-agent: *\ndisallow: /a/, /b/",
			"user-agent: *\ndisallow: /a,/b;/c",
			"user-agent: *\ndisallow: /a,b,/c d",
		},
		not: []string{
			"user-agent: *\ndisallow: /a b /c",
			"user-agent: *\ndisallow: /a,b",
			"user-agent: *\ndisallow: /a,*/b;",
			"user-agent: *\ndisallow: /a b",
			"user-agent: *\ndisallow: /a # /b",
		},
	},
	spaceInPattern: {
		not: []string{
			"user-agent: *\ndisallow: /a /b",
			"user-agent: *\ndisallow: \t/a \t",
		},
	},
	rawNonASCII: {
		not: []string{
			"user-agent: *\ndisallow: /%C3%A9 # é",
			"user-agent: *\ndisallow: /\xE9",
		},
	},
	rawOctet: {
		finds: []string{
			"user-agent: *\ndisallow: /a?b=\"c",
			"user-agent: *\ndisallow: /é|",
			"user-agent: *\ndisallow: /a\x01",
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
		finds: []string{
			"user-agent: *\ndisallow: /%zz",
		},
		not: []string{
			"user-agent: *\ndisallow: /100%25",
		},
	},
	encodedWildcard: {
		finds: []string{
			"user-agent: *\ndisallow: /%24",
		},
		not: []string{
			"user-agent: *\ndisallow: /*x$",
			"user-agent: *\ndisallow: /%2B",
		},
	},
	bracketSpelling: {
		finds: []string{
			"user-agent: *\ndisallow: /a[\ndisallow: /b",
			"user-agent: *\ndisallow: /a%5b0",
			"user-agent: *\ndisallow: /a]",
			"user-agent: *\ndisallow: /a[\nallow: /a%5B",
			"user-agent: *\ndisallow: /a[\nuser-agent: b\ndisallow: /a%5B",
		},
		not: []string{
			"user-agent: *\ndisallow: /a[]\ndisallow: /a%5b%5D",
			"user-agent: *\ndisallow: /[a-z]",
			"user-agent: *\ndisallow: /%5Ab",
		},
	},
	encodedDelimiter: {
		finds: []string{
			"user-agent: *\ndisallow: /a%2fb/",
			"user-agent: *\ndisallow: /x%26y=1",
		},
		not: []string{
			"user-agent: *\ndisallow: /a?b=%2Fc%3Fd%26",
			"user-agent: *\ndisallow: /*%3Fq=",
			"user-agent: *\ndisallow: /to/https%3A%2F%2Fexample.com%2F",
			"user-agent: *\ndisallow: /to/http:%2f%2fexample.com",
			"user-agent: *\ndisallow: /search%3Fq=\ndisallow: /search?q=",
			"user-agent: *\ndisallow: /a%252Fb",
		},
	},
	encodedPlain: {
		finds: []string{
			"user-agent: *\ndisallow: /?u=%3A",
		},
		not: []string{
			"user-agent: *\ndisallow: /%3A%2F",
			"user-agent: *\ndisallow: /%62az\ndisallow: /baz",
			"user-agent: *\ndisallow: /%2A",
			"user-agent: *\ndisallow: /%2%46",
		},
	},
	lowerCaseHex: {
		finds: []string{"user-agent: *\ndisallow: /%c3%a9%zz"},
		not: []string{
			"user-agent: *\ndisallow: /%c3%a9\ndisallow: /é",
			"user-agent: *\ndisallow: /%C3%A9",
			"user-agent: *\ndisallow: /a%2bb\ndisallow: /a%2Bb",
			"user-agent: *\ndisallow: /%20",
		},
	},
	dollarInside: {
		finds: []string{
			"user-agent: *\ndisallow: /x$$",
			"user-agent: *\ndisallow: /*.asp$?",
			"user-agent: *\ndisallow: /*.a$|/*.b$",
			"user-agent: *\ndisallow: /*.pdf$/",
			"user-agent: *\ndisallow: /$a/*.php$&",
		},
		not: []string{
			"user-agent: *\ndisallow: /x$",
			"user-agent: *\ndisallow: /$price",
			"user-agent: *\ndisallow: /*?price=10$-20$",
			"user-agent: *\ndisallow: /$RECYCLE.BIN/",
		},
	},
	repeatedStar: {
		finds: []string{"user-agent: *\ndisallow: **a"},
		not: []string{
			"user-agent: *\ndisallow: **bc\nallow: /*c",
			"user-agent: *\ndisallow: /a/*/*/b",
			"user-agent: *\ndisallow: /a**c\nallow: /*bc",
		},
	},
	trailingStar: {
		finds: []string{
			"user-agent: *\ndisallow: /*ab*\nallow: /*b",
			"allow: /*b\nuser-agent: *\ndisallow: /ab*",
			"user-agent: *\ndisallow: /a*$",
			"user-agent: *\ndisallow: /a*\nallow: /ab",
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
		finds: []string{
			"user-agent: *\ndisallow: /^a",
			"user-agent: *\ndisallow: /(a|b)",
			"user-agent: *\ndisallow: /x/1999|2000|2001/y|",
			"user-agent: *\nallow: /a|b$",
			"user-agent: *\ndisallow: /[a-z]/",
			"user-agent: *\ndisallow: /.+",
			"user-agent: *\ndisallow: /x\\.html",
			"user-agent: *\ndisallow: /x\\w+",
			"user-agent: *\ndisallow: /*.jpg|/*.png",
			"user-agent: *\ndisallow: *.jpg|*.png",
			"user-agent: *\ndisallow: /*.{jpg,png}$",
		},
		not: []string{
			"user-agent: *\ndisallow: /[a-z",
			"user-agent: *\ndisallow: /AboutUs\\News",
			"user-agent: *\ndisallow: /a\\Scripts\\",
			"user-agent: *\ndisallow: /a(b)",
			"user-agent: *\ndisallow: /{a.b,c:d}",
			"user-agent: *\ndisallow: /?filter[a]=",
			"user-agent: *\ndisallow: /*.*",
			"user-agent: *\ndisallow: /a|b+c",
			"user-agent: *\ndisallow: /*?order=name|price",
			"user-agent: *\ndisallow: *|*",
			"user-agent: *\ndisallow: |/x",
			"user-agent: *\ndisallow: /x{2,3}",
			"user-agent: *\ndisallow: /{a}/{b,}",
			"user-agent: *\ndisallow: /a{b,c",
			"user-agent: *\ndisallow: /*.html|",
			"user-agent: *\ndisallow: /|a",
		},
	},
	robotsTxtRule: {
		finds: []string{
			"user-agent: *\nallow: /robots.txt$",
		},
		not: []string{
			"user-agent: *\ndisallow: /x/robots.txt",
		},
	},
	indexPage: {
		not: []string{
			"user-agent: *\ndisallow: /a/index.html",
			"user-agent: *\nallow: /index/",
			"user-agent: *\nallow: /a/index.html\ndisallow: /a/\nallow: /a/$",
		},
	},
	assetsDisallowed: {
		finds: []string{
			"user-agent: Googlebot\ndisallow: /*.js$",
			"user-agent: *\ndisallow: /x/JS/*",
			"user-agent: *\ndisallow: /wp-includes/",
			"user-agent: *\ndisallow: /wp-content/",
			"user-agent: *\ndisallow: /wp-content/themes/",
			"user-agent: *\ndisallow: /blog/wp-content/plugins/*",
			"user-agent: *\ndisallow: /_next/",
			"user-agent: *\ndisallow: /assets/",
			"user-agent: *\ndisallow: /*.js?",
			"user-agent: *\ndisallow: /*.css?*",
			"user-agent: *\ndisallow: /wp-includes/\nallow: /js",
		},
		not: []string{
			"user-agent: *\ndisallow: /a-folder-of-many-more-documents/",
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
		finds: []string{
			"user-agent: *\nallow: /x\ndisallow: /\nallow: /x # too",
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
		finds: []string{
			"user-agent: a\nallow: /$\n\nuser-agent: a\nuser-agent: b\ndisallow: /$",
			"user-agent: a\nuser-agent: b\ndisallow: /x\n\nuser-agent: b\nallow: /x*",
			"user-agent: a\nuser-agent: b\nallow: /x\n\nuser-agent: c\nuser-agent: b\ndisallow: /x*",
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
		finds: []string{
			"user-agent: *\nallow: /x\ndisallow: /x*",
			"user-agent: *\nallow: /x/\ndisallow: */x/",
			"user-agent: *\ndisallow: /\nallow: *",
			"user-agent: *\ndisallow: /*/{a}\nallow: /*/{a}",
			"user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /\nuser-agent: a\nallow: /x",
		},
		not: []string{
			"user-agent: *\ndisallow: /x\nallow: /x/",
			"user-agent: *\nallow: /x$\ndisallow: /xy",
			"user-agent: a\ndisallow: /x\nuser-agent: b\nallow: /x",
			"user-agent: *\ndisallow: /robots.txt\nallow: /robots.txt",
		},
	},
	redundantRule: {
		finds: []string{
			"user-agent: a, b\ndisallow: /x\ndisallow: /x/y", "user-agent: a/1\ndisallow: /x\ndisallow: /x/y", "user-agent: *\ndisallow: /é\ndisallow: /é/x",
			"user-agent: *\ndisallow: *ab\ndisallow: /*b",
			"user-agent: *\nallow: /\nallow: /x\ndisallow: /y", "user-agent: *\ndisallow: /x\ndisallow: /x/y\ndisallow:", "user-agent: *\ndisallow: /é\ndisallow: /x\ndisallow: /x/y", "user-agent: *\ndisallow: /100%\ndisallow: /x\ndisallow: /x/y",
			"user-agent: *\ndisallow: /x\ndisallow: /x*",
			"user-agent: *\ndisallow: /x\ndisallow: /*.php\ndisallow: /x.php",
			"user-agent: *\ndisallow: /\nallow: /x\nallow: /x/y",
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
		finds: []string{
			"user-agent: *\nallow: /y",
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
		finds: []string{
			"user-agent: *\ndisallow: /wp-includes/\nallow: *.css\ndisallow: /wp-content/",
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
		finds: []string{
			"user-agent: *\nallow:",
			"user-agent: *\ndisallow: /x\n\nuser-agent: *\ndisallow:\n\nsitemap: https://example.com/",
			"user-agent: a\nuser-agent: b\ndisallow:\n\nuser-agent: B\ndisallow: /x",
		},
		not: []string{
			"user-agent: *\ndisallow:\n\nuser-agent: *\ndisallow:",
			"user-agent: *\ndisallow:",
			"user-agent: a\ndisallow:\nuser-agent: b\ndisallow: /x",
		},
	},
	everythingDisallowed: {
		finds: []string{
			"user-agent: *\ndisallow: */*$",
			"user-agent: *\ndisallow: /\nallow: /$",
			"user-agent: a\nuser-agent: *\ndisallow: /x\ndisallow: /*",
			"user-agent: *\ndisallow: /*$",
			"user-agent: *\ndisallow: /\nuser-agent: b\ndisallow: /",
			"user-agent: *\ndisallow: /\nuser-agent: *\ndisallow: /x",
			"user-agent: *\ndisallow:\nuser-agent: GoogleBot\ndisallow: /",
			"user-agent: *\ndisallow: /\nuser-agent: GoogleBot\ndisallow: /",
			"user-agent: *\ndisallow: /\nuser-agent: GoogleBot\ndisallow: /",
			"user-agent: *\ndisallow: /\nallow: /$",
			"user-agent: Googlebot\nallow: /$\ndisallow: /",
			"user-agent: *\ndisallow: /\nallow: /wp-admin/admin-ajax.php",
			"user-agent: *\ndisallow: /\nuser-agent: MyMonitor\ndisallow:",
			"user-agent: Googlebot\nuser-agent: bingbot\nallow: /licensing$\nallow: /ads.txt\ndisallow: /",
			"user-agent: *\ndisallow: /\n\nuser-agent: bingbot\ndisallow: /\nallow: /x",
			"user-agent: *\ndisallow: /*/\nallow: /a/",
			"user-agent: *\ndisallow: /*/*",
		},
		not: []string{
			"user-agent: *\ndisallow: //",
			"user-agent: *\ndisallow: /\nuser-agent: DuckDuckBot\ndisallow:",
			"user-agent: *\ndisallow: /\nallow: /",
			"user-agent: googlebot\ndisallow: /\nuser-agent: googlebot\nuser-agent: b\nallow: /",
			"user-agent: Googlebot-Image\ndisallow: /",
			"user-agent: a\ndisallow: /",
			"user-agent: *\ndisallow: /x",
			"user-agent: *\ndisallow: /$",
			"user-agent: *\ndisallow: /*/a/",
			"user-agent: *\ndisallow: /*/\nallow: /",
		},
	},
	engineShut: {
		finds: []string{
			"user-agent: DuckDuckBot\nuser-agent: SeznamBot\ndisallow: /\nallow: /about",
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
		finds: []string{
			"user-agent: *\ndisallow: /x\n\nuser-agent: b\n# disallow: /y",
			"user-agent: *\ndisallow: /x\nuser-agent: b\nsitemap: https://example.com/s.xml",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ndeny /y",
		},
		not: []string{
			"user-agent: a\ndisallow:\nuser-agent: b\ncrawl-delay: 3",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ncrawl-delay: 3\ndisallow:",
			"user-agent: *\ndisallow: /\nuser-agent: b\ncrawl-delay: 3",
			"user-agent: *\nallow: /x\nuser-agent: b",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /y\nuser-agent: b",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ncrawl-delay: 3\nuser-agent: *\ndisallow: /y",
		},
	},
	notInherited: {
		finds: []string{
			"user-agent: *\ndisallow: /x\nuser-agent: b\nallow: /\ndisallow: /y",
			"user-agent: Googlebot\nallow: /\n\nuser-agent: *\ndisallow: /x",
			"user-agent: Twitterbot\nuser-agent: bingbot\ncrawl-delay: 1\nallow: /*\n\nuser-agent: *\ndisallow: /x",
			"user-agent: *\ndisallow: /x\nuser-agent: b\nallow: /y/z\ndisallow: /y",
			"user-agent: *\ndisallow: /x\nuser-agent: Googlebot-News\ndisallow: /y",
			"user-agent: *\ndisallow: /x\nuser-agent: Googlebot-News\ndisallow: /y\nuser-agent: googlebot\ndisallow: /z\ndisallow: /x",
		},
		not: []string{
			"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /x\ndisallow: /y",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /x/y",
			"user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /y\nallow: /z",
			"user-agent: *\ndisallow: /x/\nuser-agent: b\ndisallow: /*.y\nallow: /x/*.y",
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
		finds: []string{
			"user-agent: *\ncrawl-delay: 0,25",
			"user-agent: *\ncrawl-delay: {{ delay }}",
			"user-agent: *\ncrawl-delay: -1",
			"user-agent: *\ncrawl-delay: 99999999",
			"user-agent: *\ncrawl-delay: 0,5",
			"user-agent: *\nrequest-rate: 10",
			"user-agent: *\ncrawl-delay:",
			"user-agent: *\ncrawl-delay: 31536000",
		},
		not: []string{
			"user-agent: *\ncrawl-delay: 1.5\n",
			"user-agent: *\nrequest-rate: 1/10m",
		},
	},
	longDelay: {
		finds: []string{
			"user-agent: *\nrequest-rate: 1/1m",
		},
		not: []string{
			"user-agent: *\ncrawl-delay: 30",
		},
	},
	delayOutsideGroup: {
		not: []string{
			"user-agent: *\ncrawl-delay: 3",
		},
	},
	repeatedDelay: {
		finds: []string{
			"user-agent: *\ncrawl-delay: 3\ncrawl-delay: x\ncrawl-delay: 4",
			"user-agent: *\ncrawl-delay: 3\nrequest-rate: 1/3\ndisallow: /x\ncrawl-delay: 4",
		},
		not: []string{
			"user-agent: *\ncrawl-delay: 3\nrequest-rate: 1/3",
			"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ncrawl-delay: 4",
			"user-agent: a\ncrawl-delay: x\ncrawl-delay: 4",
			"user-agent: a\ncrawl-delay: 3\nuser-agent: b\ncrawl-delay: 4",
		},
	},
	delayForGoogle: {
		finds: []string{
			"user-agent: googlebot-news\ncrawl-delay: 3",
			"user-agent: Yandex\ncrawl-delay: 3",
			"user-agent: YandexBot\nuser-agent: MojeekBot\ncrawl-delay: 3",
			"user-agent: a\ncrawl-delay: 1\nuser-agent: googlebot\ncrawl-delay: 3",
			"user-agent: googlebot\nuser-agent: googlebot-news\ncrawl-delay: soon\ncrawl-delay: 3",
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
		finds: []string{
			"sitemap: https://example.com/s.xml\nuser-agent: *\ndisallow: /x\nSitemap: https://example.com/s.xml # too",
		},
		not: []string{
			"sitemap: https://example.com/s.xml\nsitemap: https://example.com/S.xml",
			"sitemap: https://example.com/s.xml\nsitemap: http://example.com/s.xml",
		},
	},
	sitemapDisallowed: {
		finds: []string{
			"sitemap: https://example.com/x/s.xml?a\nuser-agent: *\ndisallow: /*?\n",
			"sitemap: https://example.com/%78.xml\nuser-agent: *\ndisallow: /x\n",
			"user-agent: *\ndisallow: /*.xml$\nallow: /s\nsitemap: https://example.com/s.xml",
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
		finds: []string{
			"sitemap: https://example.com/a b,https://example.com/c",
			"sitemap: https://{{ host }}/s.xml",
			"sitemap: https://YOUR_DOMAIN/s.xml",
			"sitemap:",
			"sitemap: https:///s.xml",
			"sitemap: http://localhost:8080/s.xml",
			"sitemap: http://[::1]/s.xml",
			"sitemap: https://example.com/robots.txt",
			"sitemap: ftp://example.com/",
			"sitemap: https://example.com/a, https://example.com/b",
			"sitemap: https://example.com/a b",
			"sitemap: https://example.com/a\tb c",
			"sitemap: https:// example.com/",
			"sitemap: <https://example.com/s.xml>",
			"sitemap: \"https://example.com/s.xml\"",
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
		finds: []string{
			"user-agent: *\ncontent-signal: train-ai=no",
			"user-agent: *\ncontent-signal: search=yes, ai-traning=no",
			"user-agent: *\ncontent-usage: /a train_ai=n",
			"user-agent: *\ncontent-usage: search=y, ai-train=n",
			"content-signal: serach=yes",
			"content-signal: ai-training=no",
		},
		not: []string{
			"user-agent: *\ncontent-signal: search=yes, AI-input=no, ai-train=no, use=full",
			"user-agent: *\ncontent-usage: search=y, train-ai=n, ai-use=n, ai-input=n",
			"user-agent: *\ncontent-signal: paint=no",
			"user-agent: *\nhost: ai_train=no",
		},
	},
	usageValue: {
		finds: []string{
			"user-agent: *\ncontent-signal: ai-train",
			"user-agent: *\ncontent-usage: train-ai=no",
			"user-agent: *\ncontent-usage: /a train-ai",
			"user-agent: *\n" + `content-usage: train-ai="n"`,
			"content-signal: use=some",
			"content-usage: train-ai=y; search=n",
			"content-signal: ai-train = no\tSearch =yes",
			"content-signal: search=yes;train-ai=no",
		},
		not: []string{
			"user-agent: *\ncontent-signal: search=YES, ai-train=no, use=reference",
			"user-agent: *\ncontent-usage: train-ai=n;x=1, paint=some",
			"user-agent: *\ncontent-signal: paint=some",
		},
	},
	malformedUsage: {
		finds: []string{
			"content-usage: A=n", "content-usage: Z=n",
			"user-agent: *\ncontent-usage: train-ai=n search=y",
			"user-agent: *\ncontent-usage: train-ai: n",
			"user-agent: *\ncontent-usage: /a",
			"user-agent: *\ncontent-usage:",
			"user-agent: *\ncontent-usage: *.pdf train-ai=n",
			"content-usage: /a/ train-ai=n,",
			"user-agent: *\ncontent-usage: /a/, train-ai=n",
		},
		not: []string{
			"user-agent: *\ncontent-usage: /*.pdf train-ai=n",
			"user-agent: *\ncontent-usage: train-ai=n , search",
			"user-agent: *\ncontent-usage: /a,b;c train-ai=n",
			"user-agent: *\ncontent-signal: Train-AI=no no",
		},
	},
	pathInSignal: {
		finds: []string{
			"content-signal: *.pdf ai-train=no",
		},
		not: []string{
			"user-agent: *\ncontent-usage: /news/ train-ai=n",
			"user-agent: *\ncontent-signal: ai-train=no",
			"user-agent: *\ncontent-signal:",
		},
	},
	usageNotInherited: {
		finds: []string{
			"user-agent: b\nallow: /\n\nuser-agent: *\nallow: /\ncontent-usage: train-ai=n",
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
		finds: []string{
			"user-agent: *\ncontent-signal: search=no, ai-train=no, search=yes",
			"user-agent: *\ncontent-usage: /a train-ai=n\ncontent-usage: /%61 search=y, train-ai=y",
			"content-signal: search=no\ncontent-signal: search=yes",
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
		finds: []string{
			"user-agent: a\ndisallow: /\ncontent-usage: /x train-ai=y\ncontent-signal: search=yes",
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
		finds: []string{
			"user-agent: *x\ncontent-usage: train-ai=n",
		},
		not: []string{
			"user-agent: *\ncontent-signal: ai-train=no",
			"content-signal: ai-train=no\nuser-agent:\ndisallow: /",
			"user-agent:\nuser-agent: a\ncontent-signal: ai-train=no",
			"user-agent:\ncontent-signal: ai-train=no\nuser-agent: a\ndisallow: /",
		},
	},
	unknownUse: {
		not: []string{"user-agent: *\ncontent-signal: search=yes, use=full", "user-agent: *\ncontent-signal: ai-traning=no", "user-agent: *\ncontent-usage: ai-use=n"},
	},
	signalOutsideGroup: {
		not: []string{"user-agent: *\ncontent-signal: ai-train=no\ndisallow: /x", "content-usage: train-ai=n\nuser-agent: *\ndisallow: /x"},
	},
	badLicense: {
		finds: []string{"license: example.com/rsl.xml", "user-agent: *\nlicense:"},
		not:   []string{"license: https://example.com/rsl.xml"},
	},
	unfilledTemplate: {
		finds: []string{"user-agent: *\ndisallow: /*/${id}", "user-agent: *\ndisallow: /*/<%= x %>", "user-agent: *\ndisallow: /*/{% x %}", "user-agent: *\ndisallow: /*/__TENANT__/", "user-agent: *\ndisallow: /*/<path>/", "user-agent: *\ndisallow: /*/%TENANT%/", "user-agent: *\ndisallow: /*/<?= $x ?>", "user-agent: *\ndisallow: /*/[YOUR_PATH2]", "user-agent: *\ndisallow: {{ path }}", "user-agent: *\ndisallow: /${id}", "user-agent: *\nallow: /<%= x %>", "user-agent: *\nallow: /{% x %}",
			"user-agent: *\ndisallow: /__TENANT__/", "user-agent: *\ndisallow: /a_b/YOUR_FOLDER/", "user-agent: *\ndisallow: /<path>/",
			"user-agent: *\ndisallow: /<your domain>/", "user-agent: *\ndisallow: /%TENANT%/", "user-agent: *\ndisallow: /%ADMIN%/",
			"user-agent: *\ndisallow: /<?= $x ?>/", "user-agent: *\ndisallow: /{{*}}/{{ id }}",
			"user-agent: *\ndisallow: /a/{folder}/", "user-agent: *\ndisallow: /[YOUR-PATH]", "user-agent: *\ndisallow: [YOUR PATH]/",
			"user-agent: *\ndisallow: /path/to/folder/", "user-agent: *\nallow: /path/to", "user-agent: *\ndisallow: /your-folder/*",
			"user-agent: *\ndisallow: /TODO/", "user-agent: *\ndisallow: TODO", "user-agent: TODO\ndisallow: /",
			"user-agent: YOUR_BOT_NAME\ndisallow: /", "user-agent: {{ bot }}\ndisallow: /", "user-agent: YOUR_BOT\ndisallow: /"},
		not: []string{"user-agent: *\ndisallow: /__Tenant__/", "user-agent: *\ndisallow: /__2024__/", "user-agent: *\ndisallow: /[YOUR path]", "user-agent: *\ndisallow: /todo", "user-agent: *\ndisallow: /TODOS/", "user-agent: *\ndisallow: /paths/to/", "user-agent: *\ndisallow: /path/", "user-agent: *\ndisallow: /path/tools/",
			"user-agent: *\ndisallow: /example/", "user-agent: *\ndisallow: /folder/", "user-agent: *\ndisallow: /your-jobs/", // real files have them
			"user-agent: *\ndisallow: /__MACOSX/", "user-agent: *\ndisallow: /__init__.py", "user-agent: *\ndisallow: /GET_YOUR_COPY", "user-agent: *\ndisallow: /YOUR_", "user-agent: YourBot\ndisallow: /", "user-agent: *\ndisallow: /[YOURS]", "user-agent: *\ndisallow: /?a[your-path]=",
			"user-agent: *\ndisallow: *<br/>*", "user-agent: *\ndisallow: /%E3%83%84%AB", "user-agent: *\ndisallow: /%CAFE%20", "user-agent: *\ndisallow: /%DE%", "user-agent: *\ndisallow: /*{{*}}", "user-agent: *\ndisallow: /*{{", "user-agent: *\ndisallow: */{link}", "user-agent: *\ndisallow: /{0}/", "user-agent: *\ndisallow: /${}"},
	},
	hostInPattern: {
		finds: []string{"user-agent: *\nallow: /www.example.de/x", "user-agent: *\ndisallow: //cdn.example.com/x"},
		not:   []string{"user-agent: *\ndisallow: /example.com", "user-agent: *\ndisallow: /a/example.com/x", "user-agent: *\ndisallow: /x.html/"},
	},
	dotSegment: {
		finds: []string{"user-agent: *\ndisallow: /./a/../b", "user-agent: *\ndisallow: /../a/..", "user-agent: *\ndisallow: /./a", "user-agent: *\nallow: /a/..$", "user-agent: *\ndisallow: /*/../*"},
		not:   []string{"user-agent: *\ndisallow: /.", "user-agent: *\ndisallow: /.git/", "user-agent: *\ndisallow: /a..", "user-agent: *\ndisallow: /...", "user-agent: *\ndisallow: /a?b=/../"},
	},
	homePage: {
		not: []string{"user-agent: *\nallow: /$\ndisallow: /x", "user-agent: *\ndisallow: /"},
	},
	policyToken: {
		finds: []string{"user-agent: __USAGE_search\ndisallow: /"},
		not:   []string{"user-agent: __usage_paint\ndisallow: /", "user-agent: usage_ai-training\ndisallow: /", "user-agent: __usage_ai-trainig\ndisallow: /", "user-agent: *\ndisallow: /__usage_ai-training"},
	},
	disobeyingCrawler: {
		not: []string{"user-agent: GPTBot\ndisallow: /", "user-agent: Bytespider\ndisallow: /"},
	},
	unknownIgnore: {
		finds: []string{
			"user-agent: *\ndisallow: /x* # polite-lint: ignore trailing-star, repeted-star",
			"# polite-lint: ignore",
			"# polite-lint: skip html",
			"\uFEFF#polite-lint:ignore x",
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

// mixed are files with findings of several checks, each of which gives other advice in other circumstances.
var mixed = []string{
	"User-agent: *\nDisallow: /\nAllow: /wp-admin/admin-ajax.php\n\nUser-agent: Googlebot\nUser-agent: bingbot\nDisallow: /\nAllow: /ads.txt\nAllow: /licensing$\nAllow: /c\nAllow: /b\n",
	"User-agent: *\nDisallow: ./z\nDisallow: None\nNoindex: /z\n",
	"User-agent: *\nDisallow: /x\nDisallow: disallow\nDisallow\nDisallow: /a, /b,/c\nDisallow: /a,/b\nDisallow: /a, *b\nSitemap: {{ url }}/s.xml\nCrawl-delay: {{ s }}\n",
	"User-agent: *\nDisallow: /x\n\nUser-agent: Googlebot\nDisallow: /x\nDisallow: /g\n\nUser-agent: Googlebot-News\nDisallow: /n\n\nUser-agent: Googlebot-Video\nCrawl-delay: 3\n", // Google's crawlers for images, news and videos go by Googlebot, if they have no group
	"User-agent: *\nDisallow: /x\n\nUser-agent: Googlebot\nDisallow:\n\nUser-agent: Googlebot-News\nDisallow: /n\n\nUser-agent: ChatGPT-User\nDisallow: /x\n",
	"User-agent: a\nAllow: /y\nUser-agent: a\nDisallow: /x",
	"User-agent: *\nDisallow: /robots.txt",
	"User-agent: *\nDisallow: /robots.txt\nAllow: /robots.txt$\nDisallow: /é%24%%41",
	"User-agent: *\nDisallow: /{folder}/\nDisallow: /*/{folder}/\nDisallow: /1999|2000/",
	"User-agent: *\nDisallow: /é{%\nDisallow: /%2%46",
	"User-agent: msnbot\nUser-agent: Claude-Web\nUser-agent: Google-NotebookLM\nDisallow: /a[0]",
	"User-agent: Gemini\nUser-agent: Copilot\nDisallow: /", // those for AI come first, and no search engine without a word
	"User-agent: __usage_ai-train\nUser-agent: __usage_search\nUser-agent: __usage_serch\nDisallow: /",
	"User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /admin/",
	"User-agent: xAI\nUser-agent: DeepSeek\nUser-agent: Perplexity\nUser-agent: Meta\nDisallow: /", // an owner may have announced no crawler
	"User-agent: *\nDisallow: /x\nAllow: /x",
	"User-agent: MJbot\n\nUser-agent: b\nCrawl-delay: 1\nUser-agent: *",
	"User-agent: MJbot\nDisallow: /y\nUser-agent: *\nUser-agent: MJBot\nDisallow: /x",
	"User-agent: *\nDisallow: /tag/*$\nDisallow: $\nDisallow: \"/x\"",
	"User-agent: 3d\nUser-agent: 008\nDisallow: /x",
	"User-agent: Mozilla/5.0 (compatible; ExampleBot/2.0; +https://example.com/)\nUser-agent: Ahrefs*\nUser-agent: Black Hole\nDisallow: /x\nCrawl-delay: 0,5\nRequest-rate: 0,5\nCrawl-delay:",
	"User-agent: *\nDisallow: /foo/.*\nDisallow: .*\nDisallow: ^/admin$\nDisallow: ?x=\nAllow: \u00a0/x\nDisallow: \u2019",
	"\u200bUser-agent: *\nUser-agent: * Disallow: /x\nAllow: /a Sitemap: b\nSitemap:\nSitemap: https://example.com/a, https://example.com/b",
	"User-agent: *\nCrawl-delay: 31536000\n",
	"User-agent: *\nDisallow: https://example.com\nDisallow: www.example.com/*\nDisallow: https://example.com/x?y\nDisallow: ^/(a|b)\nSitemap: https://example.com/my map.xml\nCrawl-delay: 1,000\nDisallow: https://example.com/(x)×100\nSitemap: https:// example.com/\nSitemap: https://a.example/\thttps://b.example/ x\n",
	"User-agent: *\nContent-Signal: search=y, ai_train=no\nContent-Usage: /x search=n, train-ai\nContent-Usage: Search=n\nContent-Signal: /x search=no\nDisallow: /y\n",
	"User-agent: *\nContent-Signal: search=yes, ai-train:no\nContent-Signal search=yes, ai-train=no\nContent-Usage: ai-use=n\nContent-Usage: ai_use=n\nContent-Signals: ai-train=no\nContent-Signal: search=yes; ai-input=no\nContent-Signal: use=full, ai-train=no search=yes\nContent-Usage: /a ai-use=n, train-ai=y; search=n\nDisallow: /y\n",
	"Content-Signal: /blog/ ai-train=yes\nContent-Signal: /a ai-train=no, ai-input=Yes\nContent-Signal: *.pdf search=no\nContent-Signal: /a use=full\nContent-Signal: /a ai-train=maybe\nContent-Signal: /a",
	"Disallow: /a\nUser-agent: *\nDisallow: /b b\nDisallow: c\x1b[2J\nCrawl-delay: 60\n",
	"user-agent: *\n# polite-lint: ignore no-validator\n# polite-lint: ignore Never-win\ndisallow: /x\n",
	"user-agent: *\ndisallow: x(é)×1000",
	"User-agent: *\nDisallow: \"https://example.com/x\"\nDisallow: ^\n",
	"User-agent: *\nDisallow: /x\nAllow: /x\nDisallow: /y\nAllow: /y\n",
	"User-agent: *\nContent-Signal: search=yes,\vai_train=no\n",
	"User-agent: __usge_search\nDisallow: /\n",
	"User-agent: *\nDisallow: allow\nAllow\nDisallow: .php\nDisallow: id=1\n",
	"# polite-lint: ignore nil\nUser-agent: *\nDisallow:\n",
	"user-agent: *\nallow: /a/index.html\ndisallow: /a/$",
	"User-agent: *\nContent-Signal: ai-train=no search\n",
	"User-agent: *\n\"Disallow: /x\"\n- Allow: /x/y",
	"User-agent: *\nDisallow: /x\nNoindex: /y\nRobots: noindex\nTDM-Reservation: 1",
	"User-agent: All\nUser-agent: Baidu\nUser-agent: Yahoo\nUser-agent: Ahrefs*\nDisallow: /x",
	"User-agent: *\nDisallow: /*/\nAllow: /a/\nAllow: /b/\nAllow: /c/",
	"User-agent: *\nContent-Usage: /blog/ search=y train-ai=n\nContent-Usage: Train-AI=n\nContent-Usage: \"/a/\" train-ai=n\nContent-Usage: /b c/ train-ai=n\nContent-Usage: /d/; train-ai=n",
	"User-agent: *\nDisallow: /search%3Fq%3D*%2F\nDisallow: ／admin",
}
