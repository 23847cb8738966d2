package notify

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hook is a server that answers as it is told, the last answer again and again.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	keys   []string
	bodies []string
	leave  chan struct{}
}

func newHook(t *testing.T, answers ...func(h *hook, w http.ResponseWriter, r *http.Request)) *hook {
	t.Helper()
	h := &hook{leave: make(chan struct{})}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		h.keys = append(h.keys, r.Header.Get("Idempotency-Key"))
		h.bodies = append(h.bodies, string(body))
		answer := answers[min(len(h.keys), len(answers))-1]
		h.mu.Unlock()
		answer(h, w, r)
	}))
	t.Cleanup(func() {
		close(h.leave)
		h.Close()
	})
	return h
}

func (h *hook) got() (keys, bodies []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.keys, h.bodies
}

func code(c int) func(*hook, http.ResponseWriter, *http.Request) {
	return func(_ *hook, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c) }
}

func later(after string) func(*hook, http.ResponseWriter, *http.Request) {
	return func(_ *hook, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", after)
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

func hang(h *hook, _ http.ResponseWriter, r *http.Request) {
	select {
	case <-h.leave:
	case <-r.Context().Done():
	}
}

func slam(_ *hook, w http.ResponseWriter, _ *http.Request) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		c.Close()
	}
}

func TestAWebhookIsToldUnderOneKeyUntilItTakesIt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		answers []func(*hook, http.ResponseWriter, *http.Request)
		tries   int
		failed  string // empty when it arrives
	}{
		{"at once", []func(*hook, http.ResponseWriter, *http.Request){code(204)}, 1, ""},
		{"500, then 200", []func(*hook, http.ResponseWriter, *http.Request){code(500), code(200)}, 2, ""},
		{"429 with seconds", []func(*hook, http.ResponseWriter, *http.Request){later("86400"), code(200)}, 2, ""},
		{"429 with nonsense", []func(*hook, http.ResponseWriter, *http.Request){later("soon"), code(200)}, 2, ""},
		{"hangs, then 200", []func(*hook, http.ResponseWriter, *http.Request){hang, code(200)}, 2, ""},
		{"closes, then 200", []func(*hook, http.ResponseWriter, *http.Request){slam, slam, code(200)}, 3, ""},
		{"never", []func(*hook, http.ResponseWriter, *http.Request){code(503)}, 8, "answered 503 Service Unavailable"},
		{"no", []func(*hook, http.ResponseWriter, *http.Request){code(404)}, 1, "answered 404 Not Found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHook(t, tc.answers...)
			b := newBench(t, quick(), Rule{Webhook: h.URL + "/secret"})
			n := b.notice(1, Done)
			b.add(n)
			b.settled()
			keys, bodies := h.got()
			if len(keys) != tc.tries {
				t.Errorf("%d tries", len(keys))
			}
			for i := range keys {
				if keys[i] != n.Key || !strings.Contains(bodies[i], n.Key) {
					t.Errorf("try %d: key %q, body %s", i+1, keys[i], bodies[i])
				}
			}
			v, _ := b.n.Status()
			if tc.failed == "" && (v.Failed != 0 || v.Error != "") || !strings.Contains(v.Error, tc.failed) {
				t.Errorf("status: %+v", v)
			}
			if strings.Contains(b.log.String(), "secret") || strings.Contains(v.Error, "secret") {
				t.Error("the path of the webhook is shown")
			}
		})
	}
}

func TestAMessageIsNotSentOnToAnotherHost(t *testing.T) {
	t.Parallel()
	other := newHook(t, code(200))
	for _, status := range []int{301, 302, 303, 307, 308} {
		h := newHook(t, func(_ *hook, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, status)
		})
		b := newBench(t, quick(), Rule{Webhook: h.URL})
		b.add(b.notice(1, Done))
		b.settled()
		if v, _ := b.n.Status(); v.Failed != 1 || !strings.Contains(v.Error, "a redirect that is not followed") {
			t.Errorf("%d: status %+v", status, v)
		}
	}
	if keys, _ := other.got(); len(keys) > 0 {
		t.Errorf("the other host was told: %v", keys)
	}
}

func TestARedirectWithinTheHostIsFollowedWithTheMessage(t *testing.T) {
	t.Parallel()
	h := newHook(t, func(_ *hook, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/new" {
			http.Redirect(w, r, "/new", http.StatusPermanentRedirect)
		}
	})
	b := newBench(t, quick(), Rule{Webhook: h.URL + "/old"})
	n := b.notice(1, Done)
	b.add(n)
	b.settled()
	keys, bodies := h.got()
	if diff := cmp.Diff([]string{n.Key, n.Key}, keys); diff != "" || bodies[0] != bodies[1] {
		t.Error(diff, bodies)
	}
	if v, _ := b.n.Status(); v.Failed != 0 {
		t.Errorf("status: %+v", v)
	}
}

func TestAMessageThatWasCutShortIsSentByTheNextDaemonUnderItsKey(t *testing.T) {
	t.Parallel()
	h := newHook(t, hang, code(200))
	timing := quick()
	timing.Post = time.Hour
	b := newBench(t, timing, Rule{Webhook: h.URL})
	n := b.notice(1, Done)
	b.add(n)
	b.until("nothing is sent", func() bool { keys, _ := h.got(); return len(keys) == 1 })
	b.n.Close()
	b.open()
	b.settled()
	if keys, _ := h.got(); !cmp.Equal(keys, []string{n.Key, n.Key}) {
		t.Errorf("keys %q", keys)
	}
	if v, _ := b.n.Status(); v.Failed != 0 {
		t.Errorf("status: %+v", v)
	}
}

func TestAThousandHaltsAreOneMessage(t *testing.T) {
	t.Parallel()
	h := newHook(t, code(200))
	b := newBench(t, DefaultTiming(), Rule{Webhook: h.URL})
	var all []Notice
	for i := range 1000 {
		all = append(all, b.notice(i, Halted))
	}
	for len(all) > 0 {
		b.add(all[:100]...)
		all = all[100:]
	}
	b.settled()
	_, bodies := h.got()
	if len(bodies) != 1 || !strings.Contains(bodies[0], "1000 notices: 1000 halted") || !strings.Contains(bodies[0], `"more":950`) {
		t.Errorf("%d messages: %.300q", len(bodies), bodies)
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "0": 0, " 120 ": 2 * time.Minute, "99999999999": (1<<31 - 1) * time.Second,
		"Sun, 01 Mar 2026 12:00:30 GMT": 30 * time.Second,
		"Sun, 01 Mar 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(text, start); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
