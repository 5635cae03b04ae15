package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestOtherNamesAreRefused: a page of another site whose name has been made to resolve to this machine gets nothing.
func TestOtherNamesAreRefused(t *testing.T) {
	s := serve(t, Config{}, nil)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST:" + port: 200,
		"evil.example:" + port: 421, "127.0.0.1": 421, "127.0.0.1:1": 421, "localhost.evil.example:" + port: 421, "10.0.0.1:" + port: 421,
		"127.0.0.1:" + port + ".evil.example": 421, "localhost": 421,
	} {
		for _, path := range []string{"/", "/api/ping"} {
			if got, _, _ := s.ask("GET", path, "", "Host: "+host); got != want {
				t.Errorf("%s of %s: status %d, want %d", path, host, got, want)
			}
		}
	}
}

// TestOtherSitesAreRefused: no page of another site makes this program work, whatever its browser lets it send.
func TestOtherSitesAreRefused(t *testing.T) {
	s := serve(t, Config{}, nil)
	session := s.open()
	for _, c := range []struct {
		fields []string
		want   int
	}{
		{nil, 200}, // no browser
		{[]string{"Sec-Fetch-Site: same-origin", "Origin: " + s.url}, 200},
		{[]string{"Origin: " + s.url}, 200}, // an old browser
		{[]string{"Sec-Fetch-Site: cross-site"}, 403},
		{[]string{"Sec-Fetch-Site: same-site", "Origin: " + s.url}, 403}, // another port of this host
		{[]string{"Sec-Fetch-Site: none", "Origin: " + s.url}, 403},
		{[]string{"Origin: http://evil.example"}, 403},
		{[]string{"Origin: null"}, 403},
		{[]string{"Origin: " + strings.Replace(s.url, "http:", "https:", 1)}, 403},
		{[]string{"Origin: " + s.url + ".evil.example"}, 403},
	} {
		for _, path := range []string{"/api/open", "/api/call?session=" + session} {
			if got, _, text := s.ask("POST", path, `{"do":"check"}`, c.fields...); got != c.want {
				t.Errorf("%s with %q: status %d, want %d: %s", path, c.fields, got, c.want, text)
			}
		}
	}
	if got, _, _ := s.ask("GET", "/api/events?session="+session, "", "Sec-Fetch-Site: cross-site"); got != 403 {
		t.Errorf("events for another site: status %d", got)
	}
	if got, _, _ := s.ask("POST", "/api/close?session="+session, "", "Sec-Fetch-Site: cross-site"); got != 403 {
		t.Errorf("another site closes a page: status %d", got)
	}
	if got, _, _ := s.ask("GET", "/api/ping", "", "Sec-Fetch-Site: none"); got != 200 {
		t.Errorf("an address that is typed: status %d", got)
	}
}

// Nothing that a request may name leads to a file of this machine, or to anything but the page's own files.
func TestPathsLeadNowhereElse(t *testing.T) {
	s := serve(t, Config{}, nil)
	for _, path := range []string{
		"/../server.go", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/sub/../../etc/passwd", "/%00", "/index.html%00.js",
		"/sub", "/sub/", "//etc/passwd", "/..\\..\\etc\\passwd", "/.", "/%5c..%5c", "/embed.go", "/api", "/api/", "/api/../index.html", "/api/call/x", "/C:/Windows/win.ini",
	} {
		for range 3 { // follows what cleans the path
			status, header, text := s.ask("GET", path, "")
			if status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect {
				if path = header.Get("Location"); !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
					t.Errorf("leads to %q", path)
				}
				continue
			}
			if clean := path == "/" || path == "/index.html"; status != http.StatusNotFound && !clean {
				t.Errorf("%s: status %d, %.60q", path, status, text)
			}
			break
		}
	}
	// What no client of package net/http sends.
	for _, line := range []string{"GET ../../etc/passwd HTTP/1.1", "GET /\x00 HTTP/1.1", "GET /../../etc/passwd HTTP/1.1", "GET file:///etc/passwd HTTP/1.1", "GET * HTTP/1.1", "CONNECT evil.example:80 HTTP/1.1"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "%s\r\nHost: %s\r\nConnection: close\r\n\r\n", line, strings.TrimPrefix(s.url, "http://"))
		c.SetReadDeadline(time.Now().Add(5 * time.Second))
		text, err := io.ReadAll(c)
		if err != nil || !bytes.HasPrefix(text, []byte("HTTP/1.1 ")) || text[9] == '2' || bytes.Contains(text, []byte("root:")) {
			t.Errorf("%q: %v, %.80q", line, err, text)
		}
		c.Close()
	}
}

// TestFilesOfThePage have their types, are compressed, and are sent again only when they have changed.
func TestFilesOfThePage(t *testing.T) {
	s := serve(t, Config{}, nil)
	s.client.Transport.(*http.Transport).DisableCompression = true
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/index.html": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8", "/sub/deep.wasm": "application/wasm"} {
		status, header, plain := s.ask("GET", path, "")
		if status != 200 || header.Get("Content-Type") != kind || header.Get("Cache-Control") != "no-cache" || header.Get("Content-Encoding") != "" {
			t.Errorf("%s: status %d, %v", path, status, header)
		}
		if again, _, text := s.ask("GET", path, "", "If-None-Match: "+header.Get("ETag")); again != http.StatusNotModified || text != "" {
			t.Errorf("%s again: status %d", path, again)
		}
		if again, _, _ := s.ask("GET", path, "", `If-None-Match: "other"`); again != 200 {
			t.Errorf("another %s: status %d", path, again)
		}
		status, small, text := s.ask("GET", path, "", "Accept-Encoding: br, gzip;q=0.5")
		if large := len(plain) >= leastToCompress; large != (small.Get("Content-Encoding") == "gzip") {
			t.Errorf("%s: %v", path, small)
		} else if large {
			r, err := gzip.NewReader(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if inflated, err := io.ReadAll(r); err != nil || string(inflated) != plain || len(text) > len(plain)/4 || small.Get("ETag") == header.Get("ETag") || small.Get("Vary") == "" {
				t.Errorf("%s: %v; compressed from %d to %d bytes, %v", path, err, len(plain), len(text), small)
			}
		}
		if status, header, text := s.ask("HEAD", path, ""); status != 200 || text != "" || header.Get("ETag") == "" {
			t.Errorf("HEAD %s: status %d, %q", path, status, text)
		}
	}
	if status, _, _ := s.ask("GET", "/", "", "Accept-Encoding: gzip;q=0"); status != 200 {
		t.Error("status", status)
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if status, _, _ := s.ask(method, "/index.html", ""); status != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d", method, status)
		}
	}
	for _, c := range [][2]string{{"GET", "/api/open"}, {"GET", "/api/call"}, {"GET", "/api/close"}, {"POST", "/api/events"}, {"POST", "/api/ping"}, {"HEAD", "/api/events"}} {
		if status, _, _ := s.ask(c[0], c[1], ""); status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
			t.Errorf("%v: status %d", c, status)
		}
	}
}

// TestEveryAnswerIsGuarded by what keeps a browser from doing what the page does not do: also refusals.
func TestEveryAnswerIsGuarded(t *testing.T) {
	s := serve(t, Config{}, nil)
	for _, path := range []string{"/", "/absent", "/api/ping", "/api/absent", "/api/call"} {
		_, h, _ := s.ask("GET", path, "")
		p := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(p, "default-src 'none';") || strings.Contains(p, "unsafe-inline") || strings.Contains(p, "'unsafe-eval'") || strings.Contains(p, "*") || strings.Contains(p, "http:") {
			t.Errorf("%s: policy %q", path, p)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if api := strings.HasPrefix(path, "/api/"); api && h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be kept: %v", path, h)
		}
	}
}

// TestOwnMachine: what browsers trust without TLS.
func TestOwnMachine(t *testing.T) {
	for host, want := range map[string]bool{"127.0.0.1:80": true, "127.0.0.1": true, "localhost:8080": true, "LOCALHOST": true, "[::1]:8080": true, "[::1]": true, "192.0.2.7:80": false, "lab:80": false, "localhost.example": false, "": false} {
		if got := ownMachine(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

// TestOthersNeedTheToken once in the address, and from then on in a cookie that no other site can send.
func TestOthersNeedTheToken(t *testing.T) {
	s := serve(t, Config{Token: "secret"}, nil)
	for _, path := range []string{"/", "/app.js", "/api/ping", "/?token=Secret", "/?token="} {
		if status, h, _ := s.ask("GET", path, ""); status != http.StatusUnauthorized || h.Get("Set-Cookie") != "" {
			t.Errorf("%s: status %d, %v", path, status, h)
		}
	}
	if status, _, _ := s.ask("POST", "/api/open", ""); status != http.StatusUnauthorized {
		t.Errorf("status %d", status)
	}
	status, h, _ := s.ask("GET", "/?token=secret", "", "Sec-Fetch-Site: none")
	cookie := h.Get("Set-Cookie")
	if status != http.StatusSeeOther || h.Get("Location") != "/" || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || !strings.Contains(cookie, "Path=/") {
		t.Fatalf("status %d, %v", status, h)
	}
	if status, _, text := s.ask("GET", "/?token=secret", "", "Sec-Fetch-Site: cross-site"); status != 200 || !strings.Contains(text, "<title>") {
		t.Errorf("a link on another site: status %d", status)
	}
	mine := "Cookie: " + strings.SplitN(cookie, ";", 2)[0]
	for _, path := range []string{"/", "/app.js", "/api/ping"} {
		if status, _, _ := s.ask("GET", path, "", mine); status != 200 {
			t.Errorf("%s: status %d", path, status)
		}
	}
	if status, _, _ := s.ask("POST", "/api/open", "", mine); status != 200 {
		t.Errorf("status %d", status)
	}
	if status, _, _ := s.ask("POST", "/api/open", "", mine, "Origin: http://evil.example"); status != http.StatusForbidden {
		t.Errorf("status %d", status)
	}
	for host, want := range map[string]int{"192.0.2.7:8080": 200, "[2001:db8::1]:8080": 200, "[2001:db8::1]": 200, "evil.example": 421, "evil.example:8080": 421} {
		if status, _, _ := s.ask("GET", "/", "", mine, "Host: "+host); status != want {
			t.Errorf("%s: status %d, want %d", host, status, want)
		}
	}
}

// TestSlowClientsAreCutOff: neither a header nor a body that never ends keeps a connection.
func TestSlowClientsAreCutOff(t *testing.T) {
	s := serve(t, Config{}, func(l *limits) {
		l.header, l.transfer, l.keep = 200*time.Millisecond, 300*time.Millisecond, 200*time.Millisecond
	})
	session := s.open()
	address := strings.TrimPrefix(s.url, "http://")
	for name, begin := range map[string]string{
		"header":  "GET / HTTP/1.1\r\nHost: " + address + "\r\nX-",
		"silence": "",
		"body":    "POST /api/call?session=" + session + " HTTP/1.1\r\nHost: " + address + "\r\nContent-Length: 1000\r\n\r\n{",
		"idle":    "GET /app.js HTTP/1.1\r\nHost: " + address + "\r\n\r\n",
	} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, begin)
		done := make(chan struct{})
		if name == "header" || name == "body" {
			go func() { // a byte now and then does not help
				for {
					select {
					case <-done:
						return
					case <-time.After(50 * time.Millisecond):
						io.WriteString(c, "x")
					}
				}
			}()
		}
		c.SetReadDeadline(time.Now().Add(10 * time.Second))
		from := time.Now()
		_, err = io.ReadAll(c)
		close(done)
		if e, ok := err.(net.Error); ok && e.Timeout() || time.Since(from) > 5*time.Second {
			t.Errorf("%s: the connection is open after %v", name, time.Since(from))
		}
	}
}

// TestConnectionsAreLimited: further ones wait until others end.
func TestConnectionsAreLimited(t *testing.T) {
	s := serve(t, Config{}, func(l *limits) { l.connections, l.header = 3, time.Second })
	address := strings.TrimPrefix(s.url, "http://")
	for range 3 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	from := time.Now()
	if status, _, _ := s.ask("GET", "/api/ping", ""); status != 200 || time.Since(from) < 500*time.Millisecond {
		t.Errorf("status %d after %v: it has not waited for one of the three", status, time.Since(from))
	}
}
