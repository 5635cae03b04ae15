package web

import (
	"io"
	"log"
	"net"
	"sync"
)

// quiet drops what package net/http logs: that a client has gone, mostly.
var quiet = log.New(io.Discard, "", 0)

// limited is a listener with at most so many connections at a time; further ones wait.
type limited struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func limitListener(l net.Listener, most int) net.Listener {
	return &limited{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{})}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &connection{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// connection gives its place back when it is closed.
type connection struct {
	net.Conn
	leave func()
}

func (c *connection) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
