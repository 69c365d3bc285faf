package polite

// A Site is what a Transport does differently for a site: see [Transport.Sites]. With
// the zero Site, it does nothing differently.
type Site struct {
	// Pace is the Pace of the site, instead of Transport.Pace. No field of the two is
	// mixed: a field that is zero here has its own default. If Pace is nil,
	// Transport.Pace counts.
	Pace *Pace

	// If Key is not "", requests with this Key take turns with each other, as if
	// Pace.Key had returned it. polite does not call Pace.Key then.
	Key string

	// Agreed says that the owner of the site has agreed to your requests. polite does
	// not ask the site for robots.txt, and refuses nothing because of it. Requests still
	// take turns. polite does not learn the site's crawl-delay, so only the Pace counts,
	// and breaks (Retry-After).
	Agreed bool

	// Basis says where the agreement is written down: "sites.txt:5". It is told in
	// Decision.Basis. It may be empty.
	Basis string
}
