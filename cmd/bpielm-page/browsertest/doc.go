// Package browsertest tests the page in a real browser: Debian's Chromium, driven by chromedp, with real pointer and key
// events. It is a module of its own, so that nothing else depends on chromedp.
//
//	go test ./... -v                                    # the page that `bpielm serve` serves
//	go run ../bundle /tmp/page                          # in the root of the repository: the page as static files
//	go test ./... -static /tmp/page                     # and the page with the engine in WebAssembly
//	go test ./... -run Path -screenshots /tmp/pictures  # keeps pictures of every step, to be looked at
//
// Without Chromium the tests are skipped, unless BPIELM_REQUIRE_BROWSER is set. Every test fails if the page says anything
// on the console, or asks for anything of another origin.
//
// TestPath measures, so it runs alone; the others run side by side.
//
// Begin reading at path_test.go, which does what a visitor does. tab_test.go has the words that it is written in,
// site_test.go the two ways in which a page is served, and access.js the checks for labels, contrast and sizes.
package browsertest
