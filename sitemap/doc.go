// Package sitemap reads sitemaps (https://www.sitemaps.org/protocol.html): the lists of pages that
// sites keep for crawlers. robots.txt names them:
//
//	file, err := transport.Robots(ctx, site)
//	// handle err
//	reader := sitemap.Reader{Client: &http.Client{Transport: transport}}
//	for at := range file.Sitemaps() {
//		for page, err := range reader.URLs(ctx, at) {
//			... // page.URL, and page.LastMod
//		}
//	}
//
// A sitemap may be XML, an index that names other sitemaps, or a text with a URL a line. It may be
// compressed with gzip. XML may be in the encoding that it declares. Any sitemap may be in UTF-16 with
// a byte order mark. Damaged octets are skipped. Feeds (RSS, Atom) are not read.
//
// A hostile sitemap costs little. A sitemap is read up to [MaxSize] octets, counted after
// decompression. An index is read up to 50,000 sitemaps, and an index within an index is not read. A
// Reader has one sitemap in memory at a time.
package sitemap
