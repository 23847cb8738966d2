//go:build browser

package page_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// These tests open the golden pages in a real browser: make pages. With
// PAGES=DIR the screenshots are kept there, to be looked at.

// browser starts a Chromium that ends with the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(t.TempDir()))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return ctx
}

// heard is what a page asks for and complains about.
type heard struct {
	mu   sync.Mutex
	list []string
}

func (h *heard) listen(ctx context.Context) error {
	return chromedp.Listen(ctx, func(e any) {
		h.mu.Lock()
		defer h.mu.Unlock()
		switch e := e.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file://") {
				h.list = append(h.list, "asks for "+e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			h.list = append(h.list, "throws "+e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			h.list = append(h.list, "says "+string(e.Type))
		}
	})
}

func (h *heard) said() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.list
}

// show shows the page on a screen of that width, light or dark.
func show(ctx context.Context, width int64, scheme string) error {
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	return errors.Join(err, chromedp.Do(ctx, chromedp.EmulateViewport(width, 900)))
}

// listening opens the page, and hears what it does.
func listening(ctx context.Context, file string, h *heard) error {
	err := h.listen(ctx)
	_, nerr := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	_, rerr := chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
	return errors.Join(err, nerr, rerr, chromedp.Do(ctx, chromedp.Navigate("file://"+file)))
}

func TestPagesInABrowser(t *testing.T) {
	for _, name := range []string{"run", "fleet", "empty", "nothing"} {
		t.Run(name, func(t *testing.T) {
			ctx := browser(t)
			file, err := filepath.Abs("testdata/" + name + ".html")
			if err != nil {
				t.Fatal(err)
			}
			var h heard
			if err := listening(ctx, file, &h); err != nil {
				t.Fatal(err)
			}
			light, dark := look(ctx, t, name, 1200, "light"), look(ctx, t, name, 1200, "dark")
			if light == dark {
				t.Errorf("light and dark are both %s", light)
			}
			look(ctx, t, name, 390, "light")
			printed(ctx, t, name)
			for _, said := range h.said() {
				t.Error(said)
			}
		})
	}
}

// look checks that nothing is wider than the screen, that every plot has a text
// alternative, and gives the colour of the background.
func look(ctx context.Context, t *testing.T, name string, width int64, scheme string) string {
	t.Helper()
	if err := show(ctx, width, scheme); err != nil {
		t.Fatal(err)
	}
	wide := value[int64](ctx, t, `document.documentElement.scrollWidth`)
	plots := value[int](ctx, t, `document.querySelectorAll("svg").length`)
	told := value[int](ctx, t, `document.querySelectorAll("svg[role=img][aria-label], svg[role=img][aria-labelledby], svg[aria-hidden=true]").length`)
	shot, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if wide > width {
		t.Errorf("%s on %d pixels is %d wide", name, width, wide)
	}
	if told < plots {
		t.Errorf("%s: of %d plots only %d have a text", name, plots, told)
	}
	keep(t, name+"-"+scheme+"-"+base(width)+".png", shot)
	return value[string](ctx, t, `getComputedStyle(document.body).backgroundColor`)
}

// value is what the page says of itself.
func value[T any](ctx context.Context, t *testing.T, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func base(width int64) string {
	if width < 600 {
		return "phone"
	}
	return "desktop"
}

// printed makes a PDF of A4 pages.
func printed(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(pdf), "%PDF") {
		t.Errorf("%s printed: %.40q", name, pdf)
	}
	keep(t, name+".pdf", pdf)
}

// keep writes a picture where a person asked for it.
func keep(t *testing.T, name string, b []byte) {
	t.Helper()
	dir := os.Getenv("PAGES")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
		t.Fatal(err)
	}
}
