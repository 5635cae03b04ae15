package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/feed"
	"github.com/bpielm/bpielm/cmd/internal/page/live"
	"github.com/bpielm/bpielm/cmd/internal/page/static"
	"github.com/bpielm/bpielm/cmd/internal/page/web"
	"github.com/bpielm/bpielm/posterior"
)

// serveCommand is `bpielm serve`.
type serveCommand struct {
	Problem string `arg:"" optional:"" help:"Problem file to open, or a folder whose problem files are offered; default: the examples."`
	Addr    string `default:"127.0.0.1:0" placeholder:"HOST:PORT" help:"Address to listen on; port 0 is any that is free."`
	Public  bool   `help:"Allow an address that other machines can reach. Whoever opens the page then needs the token in the address that is printed."`
	Open    bool   `help:"Open the page in the browser."`
	Stream  string `placeholder:"FILE" help:"Show readings as they come: a table or JSON lines that may grow, or the log of bpielm-edge; - is standard input."`
	Model   string `placeholder:"PHYSICS" help:"With --stream: compiled physics that the readings are added to, as compile writes it; default: that of PROBLEM, which is compiled first."`
	Columns string `placeholder:"NAMES" help:"With --stream: names of the columns, separated by commas, if the readings do not begin with them."`
}

// Help adds to the verb's usage text.
func (*serveCommand) Help() string {
	return `Prints the address of a page that shows the problem: its text, its solution and how far to trust it, its parameters, readings and verdict. Drag a sensor, and the band follows. What is changed on the page stays there: no file of this machine is changed.

Only this machine can open the page, unless --public is given. The page loads nothing from any other place, and reads no file but the problem and what it names below its folder. Ctrl-C ends it.

With --stream, readings are followed as they come, until Ctrl-C. The page shows the estimates, and what every sensor reported beside what was expected of it.

Examples:
  bpielm serve
  bpielm serve wall/problem.toml --open
  tail -n +1 -f log.csv | bpielm serve --stream - --model physics.bpielm`
}

// takesInterruptions: one ends the server.
func (*serveCommand) takesInterruptions() bool { return true }

// Run executes the verb.
func (c *serveCommand) Run(io *streams) error {
	if err := c.check(); err != nil {
		return err
	}
	offer, err := offered(c.Problem)
	if err != nil {
		return err
	}
	config := web.Config{Static: static.Files, Version: bpielm.Version}
	pages := newEngine(io, offer)
	config.Open = func() web.Session { return pages.Open() }
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var follow func()
	if c.Stream != "" {
		follower, begin, err := c.follower(ctx, io)
		if err != nil {
			return err
		}
		config.Live, follow = follower, begin
	}
	listener, err := c.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	config.Address = listener.Addr().String()
	if c.Public {
		config.Token = rand.Text()
	}
	server, err := web.New(config)
	if err != nil {
		return err
	}
	interrupted := feed.Interrupted()
	go func() {
		<-interrupted
		stop()
	}()
	if follow != nil {
		go follow()
	}
	address := pageAddress(listener.Addr(), config.Token)
	if _, err := fmt.Fprintln(io.out, address); err != nil {
		return err
	}
	fmt.Fprintln(io.err, "bpielm: the page is at the address above; Ctrl-C ends it")
	if c.Open {
		if err := openBrowser(address); err != nil {
			fmt.Fprintf(io.err, "bpielm: warning: no browser can be opened: %s\n", oneLine(err))
		}
	}
	return server.Serve(ctx, listener)
}

// check refuses flags that do not go together.
func (c *serveCommand) check() error {
	switch {
	case c.Model != "" && c.Stream == "":
		return refuse("--model: it is for --stream")
	case c.Columns != "" && c.Stream == "":
		return refuse("--columns: it is for --stream")
	}
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil || port == "" {
		return refuse("--addr=%s: HOST:PORT is expected, for example 127.0.0.1:8080", c.Addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !c.Public {
		return refuse("--addr=%s: other machines can reach this address; --public allows that, and 127.0.0.1:%s is for this machine alone", c.Addr, port)
	}
	return nil
}

// listen opens the port.
func (c *serveCommand) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		var dns *net.DNSError
		var address *net.AddrError
		if errors.As(err, &dns) || errors.As(err, &address) {
			return nil, &inputError{what: "--addr", err: err}
		}
		return nil, fmt.Errorf("--addr: %w", err)
	}
	if own, ok := l.Addr().(*net.TCPAddr); ok && !own.IP.IsLoopback() && !c.Public { // localhost may be anything
		l.Close()
		return nil, refuse("--addr=%s: it is %s, which other machines can reach; --public allows that", c.Addr, own)
	}
	return l, nil
}

// pageAddress is what a browser opens.
func pageAddress(listening net.Addr, token string) string {
	address := listening.String()
	if own, ok := listening.(*net.TCPAddr); ok && own.IP.IsUnspecified() {
		address = net.JoinHostPort(ownAddress(), fmt.Sprint(own.Port))
	}
	address = "http://" + address + "/"
	if token != "" {
		address += "?token=" + token
	}
	return address
}

// ownAddress is one by which other machines may reach this one; its name if there is none.
func ownAddress() string {
	addresses, err := net.InterfaceAddrs()
	if err == nil {
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
				return n.IP.String()
			}
		}
	}
	if name, err := os.Hostname(); err == nil {
		return name
	}
	return "localhost"
}

// openBrowser opens an address as the system does.
func openBrowser(address string) error {
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	browser := exec.Command(command[0], append(command[1:], address)...)
	if err := browser.Start(); err != nil {
		return err
	}
	go browser.Wait() // or it would stay as a zombie
	return nil
}

// follower returns what follows the stream, and the function that does so. What is wrong with the stream later is said on
// standard error and on the page, which stays.
func (c *serveCommand) follower(ctx context.Context, io *streams) (follower *live.Follower, follow func(), err error) {
	config := live.Config{}
	if c.Columns != "" {
		config.Columns = strings.Split(strings.ReplaceAll(c.Columns, " ", ""), ",")
	}
	switch {
	case c.Model != "":
		prior, err := loadPrior(c.Model)
		if err != nil {
			return nil, nil, err
		}
		config.Physics = func() (*posterior.Prior, error) { return prior, nil }
	case c.Problem != "":
		flags := problemFlags{File: c.Problem}
		file, fit, err := flags.prepare(io, false)
		if err != nil {
			return nil, nil, err
		}
		config.Physics = func() (*posterior.Prior, error) {
			fmt.Fprintf(io.err, "bpielm: %s is being compiled for the readings\n", file.Path)
			prior, err := posterior.FitPriorContext(ctx, file.Problem, fit)
			if err != nil {
				return nil, inProblem(file, err)
			}
			return prior.WithNote(file.Definitions(nil)), nil
		}
	}
	open, name, err := c.source()
	if err != nil {
		return nil, nil, err
	}
	follower = live.New(config)
	return follower, func() {
		source, err := open()
		if err == nil {
			defer source.Close()
			err = follower.Follow(source, name, ctx.Done())
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(io.err, "bpielm: %s; the page stays\n", oneLine(err))
		}
	}, nil
}

// source returns how the stream is opened, which may have to wait for one who writes to a pipe, and its name.
func (c *serveCommand) source() (open func() (io.ReadCloser, error), name string, err error) {
	if c.Stream == "-" {
		return func() (io.ReadCloser, error) { return io.NopCloser(os.Stdin), nil }, "standard input", nil
	}
	info, err := os.Stat(c.Stream)
	switch {
	case err != nil:
		return nil, "", refuse("%s: %s", c.Stream, systemReason(err))
	case info.IsDir():
		return nil, "", refuse("%s: is a directory; a file of readings is expected", c.Stream)
	}
	return func() (io.ReadCloser, error) { return live.OpenTail(c.Stream) }, c.Stream, nil
}
