package realtest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// step is what the provider does with one request. The last step of a script
// repeats, so that a program may try again as often as it likes.
type step struct {
	text   string
	edit   bool    // asks for a file to be written: edited, or file
	read   bool    // asks for a file to be read
	file   string  // relative to the workspace
	into   string  // a pattern: the file is what it finds first in the request
	writes string  // what the file gets; empty is content
	run    string  // asks for a command to be run
	obeys  string  // a pattern: the command is what it finds first in the request
	refuse refusal // an error instead of an answer
	cut    bool    // the connection ends in the middle of the answer
	hold   bool    // the answer begins and does not go on
}

// calls says that it asks for a tool to be used.
func (s step) calls() bool { return s.edit || s.read || s.run != "" }

// refusal is why a provider gives no answer.
type refusal string

const (
	limited    refusal = "limit"
	wrongKey   refusal = "login"
	overloaded refusal = "load"
	tooLong    refusal = "length"
)

// What an edit writes, relative to the workspace.
const (
	edited  = "made.txt"
	content = "made by the agent\n"
)

// Tokens of every answer: what it read, of that from a cache, and what it wrote.
const (
	tokensIn, tokensCached, tokensOut = 120, 20, 10
)

// ask is what a program wants of a model.
type ask struct {
	model string
	tools []string // names; side questions, as for a title, offer none
}

func (a ask) has(tool string) bool {
	for _, name := range a.tools {
		if name == tool {
			return true
		}
	}
	return false
}

// dialect is a provider's interface.
type dialect interface {
	// asks reads a request; ok is false for one that is not for an answer.
	asks(path string, body []byte) (a ask, ok bool)
	refuses(r refusal, reset time.Time) (status int, header map[string]string, body any)
	answers(w *sse, a ask, s step, file string)
}

// dialects are tried in turn.
func dialects() []dialect { return []dialect{anthropic{}, openai{}, google{}} }

// request is one that was made.
type request struct {
	Path, Body string
	Side       bool // it is not of the script
	Status     int
}

// provider answers on loopback.
type provider struct {
	URL   string
	reset time.Time // what refusals name
	dir   string    // of edits

	server *http.Server
	stop   context.CancelFunc
	done   chan struct{}
	held   chan struct{} // gets one entry for each answer that is held

	mu       sync.Mutex
	script   []step
	at       int
	requests []request
}

// newProvider serves on a port of its own until it is closed.
func newProvider(dir string, reset time.Time) (*provider, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &provider{
		URL: "http://" + l.Addr().String(), reset: reset, dir: dir,
		stop: stop, done: make(chan struct{}), held: make(chan struct{}, 16),
	}
	p.server = &http.Server{Handler: p, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() {
		defer close(p.done)
		_ = p.server.Serve(l) // it ends with ErrServerClosed
	}()
	return p, nil
}

func (p *provider) close() {
	p.stop()
	_ = p.server.Close()
	<-p.done
}

// play begins a script.
func (p *provider) play(script ...step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script, p.at, p.requests = script, 0, nil
}

// asked are the requests since play, without side questions.
func (p *provider) asked() (out []request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if !r.Side {
			out = append(out, r)
		}
	}
	return out
}

// next is the step for a request. A side question gets a short answer, or the
// refusal that the script is at, and does not move it on.
func (p *provider) next(path, body string, side bool) step {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.script[min(p.at, len(p.script)-1)]
	switch {
	case !side:
		p.at++
	case s.refuse == "":
		s = step{text: "A title"}
	}
	p.requests = append(p.requests, request{Path: path, Body: body, Side: side})
	if s.into != "" {
		s.file = cmp.Or(regexp.MustCompile(s.into).FindString(body), "nothing-to-write")
	}
	if s.obeys != "" {
		s.run = cmp.Or(regexp.MustCompile(s.obeys).FindString(body), "echo nothing to obey")
	}
	return s
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	for _, d := range dialects() {
		if a, ok := d.asks(r.URL.Path, body); ok && r.Method == http.MethodPost {
			p.serve(w, r, d, a, p.next(r.URL.Path, string(body), len(a.tools) == 0))
			return
		}
	}
	http.NotFound(w, r) // programs ask for lists of models and the like, and do without
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request, d dialect, a ask, s step) {
	if s.refuse != "" {
		status, header, body := d.refuses(s.refuse, p.reset)
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.Header().Set("content-type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body) // a client may be gone
		return
	}
	out := &sse{w: w, whole: !wantsStream(r)}
	if !out.whole {
		w.Header().Set("content-type", "text/event-stream")
	}
	out.pause = func() {
		switch {
		case s.cut:
			panic(http.ErrAbortHandler)
		case s.hold:
			select {
			case p.held <- struct{}{}:
			default: // nobody looks any more
			}
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}
	}
	file := cmp.Or(s.file, edited)
	if !filepath.IsAbs(file) {
		file = p.dir + "/" + file
	}
	d.answers(out, a, s, file)
}

// wantsStream tells the only dialect that has both by its path.
func wantsStream(r *http.Request) bool {
	return !strings.Contains(r.URL.Path, ":") || strings.HasSuffix(r.URL.Path, ":streamGenerateContent")
}

// sse writes server-sent events.
type sse struct {
	w     http.ResponseWriter
	whole bool   // one JSON object instead
	pause func() // what is to happen in the middle
}

// send writes an event; a dialect whose events have no names gives none.
func (s *sse) send(name string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	switch {
	case s.whole:
		_, _ = s.w.Write(b)
		return
	case name != "":
		_, _ = fmt.Fprintf(s.w, "event: %s\n", name)
	}
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", b)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

var ids atomic.Int64

// newID is an id as providers make them.
func newID(kind string) string { return fmt.Sprintf("%s_%024d", kind, ids.Add(1)) }

// m is a JSON object.
type m = map[string]any

// halves are the pieces in which a text is sent.
func halves(t string) (string, string) { return t[:len(t)/2], t[len(t)/2:] }

// encoded is a JSON text.
func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
