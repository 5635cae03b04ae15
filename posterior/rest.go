//go:build !js

package posterior

// rest is for WebAssembly, where nothing else runs meanwhile: rest_js.go.
func rest() {}
