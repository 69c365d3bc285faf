package redisfleet

import "crypto/tls"

// Options says how a [Fleet] works.
type Options struct {
	// Prefix begins all keys and channels, as in "polite:examplebot". Processes with the
	// same Prefix take turns together and share their answers. Give each crawler a
	// Prefix of its own, unless sites shall see several as one. It must not be empty.
	Prefix string

	// Alone lets a process go on alone while the server is away, at 1/Alone of the
	// rate: set it to how many processes there are. This keeps the mean rate of the
	// fleet, but not the gaps. If it is zero, turns fail while the server is away.
	Alone int

	// TLS is how Open connects, also if the URL begins with redis://. Set it if the
	// server's certificate is by an authority of your own (RootCAs), or if the server
	// wants a certificate of its clients. If it is nil, the URL decides. New does not
	// use it.
	TLS *tls.Config
}
