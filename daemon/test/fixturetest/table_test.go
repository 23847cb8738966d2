//go:build linux

package fixturetest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/agent/meter"
	"autopilot/daemon/agent/outcome"
	"autopilot/daemon/agent/stream"
	"autopilot/events"
)

// fixtures is the catalogue. Rows for which a daemon is needed are in package
// crashtest.
func fixtures(t *testing.T) []fixture {
	all := slices.Concat(ordinary(), lifeCycle(), repeating(), limits(t), faults(), others(), torture(), secrets(), hostile(), resources())
	for i := range all {
		f := &all[i]
		if f.format == "" {
			f.format = stream.Claude
		}
		if f.wall == 0 {
			f.wall = time.Minute
		}
		if f.limits.Linger == 0 {
			f.limits.Linger = 5 * time.Second
		}
	}
	return all
}

// ordinary are turns as they should be.
func ordinary() []fixture {
	return []fixture{
		{name: "ok-claude", format: stream.Claude, want: progress},
		{name: "ok-codex", format: stream.Codex, want: progress},
		{name: "ok-gemini", format: stream.Gemini, want: progress},
		{name: "ok-opencode", format: stream.Opencode, want: progress},
		{name: "ok-cursor", format: stream.Cursor, want: progress},
		{name: "ok-goose", format: stream.Goose, want: progress},
		{name: "ok-text", format: stream.Text, want: progress},
	}
}

func lifeCycle() []fixture {
	killed := func(atLeast int) func(*played) error {
		return func(p *played) error {
			if p.out.Killed < atLeast {
				return fmt.Errorf("%d processes of its tree were ended, want %d", p.out.Killed, atLeast)
			}
			return nil
		}
	}
	return []fixture{
		{name: "linger", limits: meter.Limits{Linger: 300 * time.Millisecond}, want: progress, cut: events.CutLinger},
		{name: "stall", idle: time.Second, want: string(outcome.IdleTimeout)},
		{name: "quiet-worker", format: stream.Text, idle: time.Second, want: progress},
		{name: "leak-pipe", format: stream.Text, want: progress, check: killed(1)},
		{name: "reads-stdin", format: stream.Text, want: progress},
		{name: "stderr-flood", want: progress},
		{name: "tree", format: stream.Text, wall: time.Second, want: string(outcome.WallTimeout), check: killed(4)},
		{name: "daemonize", format: stream.Text, want: progress, check: killed(1)},
		{name: "ignore-term", format: stream.Text, wall: time.Second, want: string(outcome.WallTimeout)},
		{name: "leader-dies", format: stream.Text, want: string(outcome.KilledExternal), check: killed(1)},
	}
}

func repeating() []fixture {
	return []fixture{
		{name: "empty0", want: string(outcome.EmptyResult)},
		{name: "empty0-text", program: "empty0", format: stream.Text, want: string(outcome.EmptyResult)},
		{name: "tool-spam", limits: meter.Limits{Repeats: 40}, want: stuck, cut: events.CutRepetition},
	}
}

// limits are those of providers: the wordings are data, with both exit codes.
func limits(t *testing.T) []fixture {
	t.Helper()
	reset := time.Now().Add(90 * time.Second).Unix()
	all := []fixture{
		{name: "ratelimit0", want: string(outcome.RateLimited), conflicts: "exit=ended"},
		{name: "ratelimit-event", env: []string{fmt.Sprint("RESET=", reset)}, want: string(outcome.RateLimited), check: func(p *played) error {
			if want := time.Unix(reset, 0); !p.dec.Reset.Equal(want) || p.dec.ResetFrom != outcome.FromStream {
				return fmt.Errorf("the limit ends at %v by %s, want %v", p.dec.Reset, p.dec.ResetFrom, want)
			}
			return nil
		}},
		{name: "limit-near-zero-gauge", want: progress},
		{name: "docs-limit", format: stream.Text, want: progress},
	}
	b, err := os.ReadFile("testdata/limits.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != 12 {
		t.Fatalf("%d wordings, want 12", len(lines))
	}
	for i, line := range lines {
		format, words, _ := strings.Cut(line, "\t")
		for _, code := range []string{"0", "1"} {
			all = append(all, fixture{
				name: fmt.Sprintf("limit-text-%d/exit-%s", i+1, code), program: "limit-text", format: stream.Format(format),
				env: []string{"WORDS=" + words, "CODE=" + code}, want: string(outcome.RateLimited),
			})
		}
	}
	return all
}

// faults are those of providers.
func faults() []fixture {
	return []fixture{
		{name: "auth401", want: string(outcome.AuthFailed)},
		{name: "overflow", want: string(outcome.ContextOverflow)},
		{name: "overloaded529", want: string(outcome.Overloaded)},
		{
			name: "retries-forever", limits: meter.Limits{Trying: 300 * time.Millisecond},
			want: string(outcome.Overloaded), cut: events.CutTrying,
		},
		{name: "billing", want: string(outcome.Billing)},
		{name: "turns-max", want: string(outcome.MaxTurns)},
		{name: "budget-max", want: string(outcome.Budget)},
		{name: "perm-ask", format: stream.Codex, want: string(outcome.NeedsHuman)},
		{name: "perm-denied", want: string(outcome.NeedsPermission)},
	}
}

// others are of other programs.
func others() []fixture {
	return []fixture{
		{name: "codex-failed0", format: stream.Codex, want: string(outcome.AgentError), conflicts: "exit=ended"},
		{name: "codex-reconnect", format: stream.Codex, want: progress},
		{name: "gemini-429x40", format: stream.Gemini, want: string(outcome.RateLimited)},
		{name: "cursor-nojson", format: stream.Cursor, want: string(outcome.AgentError)},
		{name: "opencode-error1", format: stream.Opencode, want: string(outcome.AuthFailed)},
	}
}

// torture are streams that are hard to read. None may lose a later line.
func torture() []fixture {
	says := func(want string) func(*played) error {
		return func(p *played) error {
			if p.sum.Last != want || p.sum.Tools != 1 || p.used.Tokens() != 8 {
				return fmt.Errorf("read as %q with %d tools and %d tokens, want %q, 1 and 8", p.sum.Last, p.sum.Tools, p.used.Tokens(), want)
			}
			return nil
		}
	}
	return []fixture{
		{name: "trunc", want: string(outcome.TruncatedStream)},
		{name: "interleave", want: progress, check: says("Done.")},
		{name: "hugeline-200MB", want: progress, watch: memory, check: func(p *played) error {
			const most = 100 << 20
			if p.highest == 0 || p.highest > most || p.heap > most {
				return fmt.Errorf("the supervisor had %d MB and the reader %d MB, want less than 100", p.highest>>20, p.heap>>20)
			}
			return says("Done.")(p)
		}},
		{name: "bytewise-utf8", want: progress, check: says("日本語 ✓ 😀")},
		{name: "surrogate", want: progress, check: says("half \uFFFD of 😀")},
		{name: "nul", want: progress, check: says("a\x00b")},
		{name: "ansi-osc52", format: stream.Text, want: progress, check: func(p *played) error {
			out, err := p.output()
			if err != nil || !strings.Contains(out, "\x1b]52;c;") {
				return fmt.Errorf("the spool has not what was printed: %q, %w", out, err)
			}
			if words := stream.Words(p.format, []byte(out), false, 8<<10); strings.ContainsAny(words, "\x1b\a\u009b\u202e") {
				return fmt.Errorf("shown as %q", words)
			}
			return nil
		}},
		{name: "crlf-bom", want: progress, check: says("Done.")},
		{name: "no-final-newline", want: progress, check: says("Done.")},
		{name: "unknown-type", want: progress, check: says("Done.")},
	}
}

// memory watches how much supervisor and reader take.
func memory(p *played) func() {
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			for _, l := range p.r.Live() {
				p.highest = max(p.highest, highWater(l.Shim))
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			p.heap = max(p.heap, m.HeapAlloc)
		}
	}()
	return func() { close(over); <-stopped }
}

// highWater is the most memory that a process has had.
func highWater(pid int) uint64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // it may end at any time
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	var kb uint64
	_, _ = fmt.Sscan(rest, &kb) // zero is unknown
	return kb << 10
}

// testKey is no key of anything.
const testKey = "sk-ant-" + "test0123456789abcdefTESTkey"

func secrets() []fixture {
	hidden := func(p *played) error {
		out, err := p.output()
		if err != nil {
			return err
		}
		coded := strings.TrimRight(base64.StdEncoding.EncodeToString([]byte("user:"+testKey)), "=")
		for _, secret := range []string{testKey, coded[10:30]} {
			if strings.Contains(out, secret) {
				return fmt.Errorf("the spool holds %q:\n%s", secret, out)
			}
		}
		if p.out.Redacted < 2 {
			return fmt.Errorf("%d secrets were kept out, want 2", p.out.Redacted)
		}
		return nil
	}
	key := []string{"TEST_API_KEY=" + testKey}
	return []fixture{
		{name: "env-leak", format: stream.Text, env: key, secrets: key, want: progress, check: hidden},
		{name: "print-secret-split", format: stream.Text, env: key, secrets: key, want: progress, check: hidden},
	}
}

func hostile() []fixture {
	return []fixture{
		{name: "rm-log", format: stream.Text, want: string(outcome.Interrupted)},
	}
}

func resources() []fixture {
	return []fixture{
		{name: "hog-mem", format: stream.Text, want: string(outcome.AgentError)},
		{name: "hog-mem-killed", format: stream.Text, oom: true, want: string(outcome.OutOfMemory)},
		{name: "hog-disk", format: stream.Text, want: progress, check: func(p *played) error {
			out, err := p.output()
			if err != nil {
				return err
			}
			if !p.out.Truncated || len(out) > 5<<20 || !strings.HasSuffix(out, "the end\n") {
				return fmt.Errorf("%d bytes of %d were kept", len(out), p.out.Bytes)
			}
			return nil
		}},
		{name: "hog-cpu", format: stream.Text, wall: time.Second, want: string(outcome.WallTimeout)},
		{name: "fork-many", format: stream.Text, wall: 2 * time.Second, want: string(outcome.WallTimeout), check: func(p *played) error {
			out, err := p.output()
			began := strings.Count(out, "working") // a busy host begins fewer than 100
			// One that has not left the group yet ends with it, uncounted.
			if err == nil && (began == 0 || p.out.Killed < began/2 || p.out.Left != 0) {
				err = fmt.Errorf("%d of %d processes were ended, %d are left", p.out.Killed, began, p.out.Left)
			}
			return err
		}},
		{name: "usage-ramp", limits: meter.Limits{Tokens: 1_000_000}, want: string(outcome.Budget), cut: events.CutTokens, check: func(p *played) error {
			// The program prints on until its end has come.
			if p.used.Tokens() < 1_000_000 {
				return errors.New("it was cut too early")
			}
			return nil
		}},
	}
}
