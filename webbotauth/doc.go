// Package webbotauth signs the requests of a crawler, so that sites can tell who asks: Web Bot
// Auth, which is HTTP Message Signatures (RFC 9421) with a profile of its own.
//
//	identity := &webbotauth.Identity{
//		Origin: "https://bot.example.com",
//		Keys:   []webbotauth.Key{{Signer: key}},
//	}
//	transport := &polite.Transport{
//		UserAgent: "ExampleBot/1.0 (+https://bot.example.com)",
//		Base:      &webbotauth.Transport{Identity: identity},
//	}
//	http.Handle(webbotauth.DirectoryPath, identity) // at https://bot.example.com
//
// The signer is the Base of polite's Transport, and not around it. So it signs every request:
// for robots.txt, for pages, and after redirects. It signs when the turn of a request has come,
// as a signature that is made before may expire while the request waits. It signs nothing
// that polite refuses.
//
// # What is signed
//
// A signature covers the authority, the method, the path and the Signature-Agent of a request.
// It does not cover the query and the body. Who sees a request can repeat it, with another
// query, until the signature expires. Use TLS.
//
// # Keys
//
// Keys are of Ed25519. A [Key] may stay in a key store, as polite needs only its
// [crypto.Signer]. Do not use it for anything else. Make one, and read it by [ParseKey]:
//
//	openssl genpkey -algorithm ed25519 -out key.pem
//
// To rotate, publish the new key beside the old one, at least a day before it signs:
//
//	Keys: []webbotauth.Key{
//		{Signer: old, NotAfter: monday.AddDate(0, 0, 1)},
//		{Signer: new, NotBefore: monday},
//	}
//
// Sites may keep the directory of keys for a day. A key that is no longer published may still
// be accepted for so long.
//
// # Status
//
// The package follows draft-ietf-webbotauth-httpsig-protocol, as its source was in October 2026.
// A § without an RFC is of this draft. The draft replaces two others:
// draft-meunier-web-bot-auth-architecture and draft-meunier-http-message-signatures-directory.
// It still changes, and this package changes with it.
package webbotauth
