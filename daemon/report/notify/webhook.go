package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxRedirects bounds how often a server may send a message on within itself.
const maxRedirects = 3

// post sends a message to a webhook, one try. Errors never hold the URL, which
// is often a secret.
func (n *Notifier) post(ctx context.Context, target string, m notification) outcome {
	body, err := encode(m)
	if err != nil {
		return outcome{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, n.cfg.Timing.Post)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return outcome{err: errors.New("post to a webhook: this is not a URL")}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", m.Key)
	req.Header.Set("User-Agent", "autopilot")
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}, CheckRedirect: stayThere}
	resp, err := client.Do(req)
	if err != nil {
		return outcome{err: fmt.Errorf("post to %s: %w", req.URL.Host, plain(err, n.cfg.Timing.Post)), again: true}
	}
	defer resp.Body.Close()
	// Only that it was read matters: the server may wait for it.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	return judge(req.URL.Host, resp, n.cfg.Now())
}

// stayThere follows a redirect only where it stays with the host and repeats the
// message; else the redirect itself is the answer.
func stayThere(req *http.Request, via []*http.Request) error {
	first := via[0]
	same := req.URL.Host == first.URL.Host && req.URL.Scheme == first.URL.Scheme && req.Method == first.Method
	if !same || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// plain takes the URL out of an error.
func plain(err error, limit time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v", limit)
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func judge(host string, resp *http.Response, now time.Time) outcome {
	code := resp.StatusCode
	switch {
	case code >= 200 && code < 300:
		return outcome{}
	case code >= 300 && code < 400:
		return outcome{err: fmt.Errorf("post to %s: answered %d, a redirect that is not followed", host, code)}
	}
	err := fmt.Errorf("post to %s: answered %d %s", host, code, http.StatusText(code))
	if code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout {
		return outcome{err: err, again: true, after: retryAfter(resp.Header.Get("Retry-After"), now)}
	}
	return outcome{err: err}
}

// retryAfter reads a number of seconds, as large as it may be, or a date. What
// is neither asks for nothing.
func retryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if s, err := strconv.ParseUint(text, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(s) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
