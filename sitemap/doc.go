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
// compressed with gzip. XML may be in the encoding that it declares, and all in UTF-16 with a mark.
// Octets that are damaged are passed over. Feeds (RSS, Atom) are not read.
//
// What a site writes costs little: a sitemap is read up to [MaxSize], also if it is compressed, an
// index up to 50,000 sitemaps, and an index within an index not at all. A Reader has one sitemap in
// memory at a time.
package sitemap
