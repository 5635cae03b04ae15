// Package static is the page that people open in a browser: HTML, CSS and JavaScript modules, without a build step. The
// program embeds them to serve them, and the static site is made of copies of them.
//
//	page, err := static.Files.ReadFile("index.html")
//
// The page asks an engine for everything it shows, in the words of package page; transport.js finds the engine, behind the
// server or in a worker. Begin reading at main.js. `node --test` in this folder tests the modules that need no browser.
package static

import "embed"

// Files are the files of the page, with the names that they ask each other by.
//
//go:embed index.html style.css icon.svg *.js host.mjs draw/*.js
var Files embed.FS
