package browsertest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	screenshots = flag.String("screenshots", "", "folder in which pictures of the page are kept")
	bundle      = flag.String("static", "", "the page as static files, as cmd/bpielm-page/bundle writes it; without it nothing is tested in WebAssembly")
)

var (
	browser context.Context // of the one browser in which every test opens its tabs
	program string          // the path of bpielm
	root    string          // of the repository
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		end, err := begin()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer end()
		return m.Run()
	}())
}

// begin builds the program and starts the browser. Without one, browser stays nil.
func begin() (end func(), err error) {
	_, here, _, _ := runtime.Caller(0)
	root = filepath.Join(filepath.Dir(here), "..", "..", "..")
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("BPIELM_REQUIRE_BROWSER") != "" {
			return nil, fmt.Errorf("BPIELM_REQUIRE_BROWSER is set: %w", err)
		}
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "bpielm-page")
	if err != nil {
		return nil, err
	}
	program = filepath.Join(folder, "bpielm")
	build := exec.Command("go", "build", "-o", program, "./cmd/bpielm")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("force-color-profile", "srgb"))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	// The browser is newer than the protocol that chromedp knows, and sends events that it does not.
	var quit context.CancelFunc
	browser, quit = chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	if err := chromedp.Run(browser); err != nil {
		return nil, fmt.Errorf("chromium: %w", err)
	}
	return func() {
		quit()
		stop()
		os.RemoveAll(folder)
	}, nil
}

// needBrowser skips a test where there is none.
func needBrowser(t *testing.T) {
	t.Helper()
	if browser == nil {
		t.Skip("chromium is not installed")
	}
}
