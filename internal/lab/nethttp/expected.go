package main

import "regexp"

// expected are the tests that fail with polite, and why.
var expected = []struct {
	subject string
	tests   string // a regexp
	why     string
	endless bool // it does not end, or not in minutes, and is skipped
}{
	{standard, "^net/http (TestTransportUserAgent|TestClientCopyHeadersOnRedirect|TestTransportEventTrace|TestTransportFlushesBodyChunks)(/|$)", "another User-Agent is sent", false},
	{standard, "^net/http TestRetryRequestsOnError(/|$)", "Response.Request is the copy with our User-Agent", false},
	{standard, "^net/http (TestClientTimeoutCancel|TestCancelRequestMidBody|TestNoCrashReturningTransportAltConn)(/|$)", "the error after Request.Cancel has another text", false},
	{standard, "^net/http (TestTransportNoHost|TestTransportClosesBodyOnInvalidRequests)(/|$)", "the error of a URL without a host says what to write", false},
	{standard, "^net/http TestTransportCONNECTBidi(/|$)", "polite does not judge a CONNECT whose URL.Opaque is another host; with -exempt it passes", false},
	{standard, "^net/http TestClientDoCanceledVsTimeout(/|$)", "a refusal is no Timeout, also at a deadline: clients would ask again", false},
	{"colly", " (TestEnvSettings|TestUserAgent)$", "another User-Agent is sent", false},
	{standard, "TestTimeoutHandlerRace", "the server answers 503, and gets breaks", true},
	{standard, "TestTransportPersistConnLeak", "it waits for 25 requests at a server, and the ceiling is six", true},
	{standard, "TestTransportAndServerSharedBodyRace|TestTransportCancelRequest", "Transport.CancelRequest knows only the request that it was called with, and polite sends a copy", true},
}

// reason returns why a test of a subject is expected to fail, or "".
func reason(subject, test string) string {
	for _, e := range expected {
		if e.subject == subject && regexp.MustCompile(e.tests).MatchString(test) {
			return e.why
		}
	}
	return ""
}
