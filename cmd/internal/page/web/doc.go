// Package web serves the page over HTTP: its static files, the requests of package page, and their events. It is the
// part of `bpielm serve` that knows the network, and nothing else does.
//
//	server := web.New(web.Config{
//		Open:    func() web.Session { return engine.Open() },
//		Static:  static.Files,
//		Version: bpielm.Version,
//		Address: listener.Addr().String(),
//	})
//	err := server.Serve(ctx, listener) // until ctx ends
//
// # Requests
//
//	GET  /api/ping              {"bpielm": VERSION, "live": true if readings are followed}
//	POST /api/open              {"session": S}
//	POST /api/call?session=S    a page.Request; the answer is a page.Reply
//	GET  /api/events?session=S  server-sent events, each a page.Event
//	POST /api/close?session=S
//	GET  /api/ping?session=S    the page is still there, although it reads no events
//
// All else is a static file. An error of HTTP has a body like that of a reply: {"error": {"message": ...}}. 410 says
// that a session has ended: open another one and send the files again.
//
// # Safety
//
// Whoever can open the page can use up this machine's processors, and read the examples that it offers. So the server
// answers only requests that name the address it listens on (a foreign name that resolves to it is a rebinding attack),
// and that no other site has made. Where it listens to other machines, a random token is needed. Bodies, sessions,
// connections, calls and times are bounded. No path of a request is ever looked up on a disk.
//
// Begin reading at server.go, then guard.go and session.go.
package web
