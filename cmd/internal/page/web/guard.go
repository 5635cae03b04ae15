package web

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// guard decides who is answered.
type guard struct {
	hosts  []string // that a request may name; with a token also any numeric address
	token  string
	cookie string // its name; browsers share cookies among the ports of a host
}

// newGuard makes a guard for a server that listens on an address.
func newGuard(address, token string) (guard, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return guard{}, fmt.Errorf("the address %q: %w", address, err)
	}
	g := guard{token: token, cookie: "bpielm-" + port}
	names := []string{host, "localhost"}
	if token != "" {
		if own, err := os.Hostname(); err == nil {
			names = append(names, own, own+".local")
		}
	}
	for _, name := range names {
		g.hosts = append(g.hosts, strings.ToLower(net.JoinHostPort(name, port)))
		if port == "80" { // browsers leave it out
			g.hosts = append(g.hosts, strings.TrimSuffix(g.hosts[len(g.hosts)-1], ":80"))
		}
	}
	return g, nil
}

// known reports whether the host that a request names is this server. A page of another site can make its own name
// resolve to this address, and is then of the same origin for a browser; but it cannot make the browser send another name.
func (g *guard) known(host string) bool {
	if slices.Contains(g.hosts, strings.ToLower(host)) {
		return true
	}
	if g.token == "" {
		return false
	}
	name := host // a numeric address is no name that somebody could make resolve to this one
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil
}

// ownSite reports whether a request to the API was made by the page itself, or by a program that is no browser.
func ownSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin":
	case "none": // typed by the user
		if r.Method != http.MethodGet {
			return false
		}
	default:
		return false
	}
	origins := r.Header.Values("Origin")
	return len(origins) == 0 || len(origins) == 1 && strings.EqualFold(origins[0], "http://"+r.Host)
}

// policy lets a page load nothing that is not this server's, and run no text as a program except WebAssembly.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// protect refuses what a guard does not let through, and makes browsers careful with the rest.
func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if ownMachine(r.Host) { // elsewhere a browser ignores it without TLS, and complains
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
		}
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		api := strings.HasPrefix(r.URL.Path, "/api/")
		if api {
			h.Set("Cache-Control", "no-store")
		}
		switch {
		case !g.known(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "this server has another name: open the address that bpielm serve has printed")
			return
		case (api || r.Method != http.MethodGet && r.Method != http.MethodHead) && !ownSite(r):
			refuse(w, http.StatusForbidden, "a page of another site has made this request")
			return
		}
		if g.admit(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// ownMachine reports whether the host that a request names is this machine, which browsers trust as they trust TLS.
func ownMachine(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.IsLoopback() || strings.EqualFold(name, "localhost")
}

// admit asks for the token, if there is one: in the address, and from then on in a cookie.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) bool {
	if g.token == "" {
		return true
	}
	if c, err := r.Cookie(g.cookie); err == nil && g.right(c.Value) && !r.URL.Query().Has("token") {
		return true
	}
	if !g.right(r.URL.Query().Get("token")) {
		refuse(w, http.StatusUnauthorized, "open the whole address that bpielm serve has printed, with its token")
		return false
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return true // a strict cookie would not be sent on the way that a link of another site has begun
	}
	// The token must not stay where people copy links from. A browser keeps the fragment, which may be a problem.
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
	return false
}

// right compares a token in a time that does not tell how much of it is right.
func (g *guard) right(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1
}
