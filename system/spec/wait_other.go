//go:build !unix

package spec

// withoutWaiting is needed on Unix only.
const withoutWaiting = 0
