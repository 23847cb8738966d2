package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shim is what a skill in Node keeps in front of the rules: one process for all calls, and
// functions that wait for an answer each.
const shim = `
const { spawn } = require('node:child_process');
const readline = require('node:readline');
const child = spawn(process.argv[2], ['compat', 'policy', '--batch'], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let last = 0;
readline.createInterface({ input: child.stdout }).on('line', (line) => {
  const { id, result, error } = JSON.parse(line);
  const [resolve, reject] = waiting.get(id);
  waiting.delete(id);
  error === undefined ? resolve(result) : reject(new Error(error));
});
const tagged = (key, v) => (typeof v === 'number' && !Number.isFinite(v) ? { $: String(v) } : v);
const call = (fn, input) => new Promise((resolve, reject) => {
  const id = ++last;
  waiting.set(id, [resolve, reject]);
  child.stdin.write(JSON.stringify({ id, fn, input }, tagged) + '\n');
});
const wrong = (what) => { console.error(what); process.exit(1); };
(async () => {
  const post = await call('kill-post', { sessionResult: { agent_summary: { spiral: '1', failed: NaN } } });
  if (post.kill !== 'spiral') wrong(post);
  const open = await call('kill-pre', { iterationsCompleted: 1, maxSessions: 5, elapsedMs: 1, maxHoursMs: 9, maxTokens: NaN, cumulativeTokensUsed: Infinity });
  if (open !== null && open !== undefined) wrong(open);
  await call('classify', { mode: 'turbo' }).then(wrong, (e) => e.message.includes('turbo') || wrong(e));
  for (let i = 0; i < 1000; i++) {
    const k = await call('kill-pre', { iterationsCompleted: i, maxSessions: 500, elapsedMs: 1, maxHoursMs: 9 });
    if ((i >= 500) !== (k?.kill === 'max-sessions-reached')) wrong([i, k]);
  }
  child.stdin.end();
  child.on('exit', (code) => { console.log('calls', last); process.exit(code); });
})();
`

// A skill that keeps its own loop calls the rules through a process that it starts once:
// each answer comes before the next call is made.
func TestASkillCallsTheRulesThroughOneProcess(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		callByHand(t)
		return
	}
	file := filepath.Join(t.TempDir(), "shim.cjs")
	if err := os.WriteFile(file, []byte(shim), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), node, file, filepath.Join(bin, "apctl")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "calls 1003") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// callByHand does what the shim does, on a host without Node.
func callByHand(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "apctl"), "compat", "policy", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatal("the process does not start", err)
	}
	lines := bufio.NewReader(out)
	for i := range 1000 {
		fmt.Fprintf(in, `{"id":%d,"fn":"kill-pre","input":{"iterationsCompleted":%d,"maxSessions":500,"elapsedMs":1,"maxHoursMs":9}}`+"\n", i, i)
		line, err := lines.ReadBytes('\n')
		if err != nil || bytes.Contains(line, []byte("max-sessions-reached")) != (i >= 500) || !bytes.HasPrefix(line, fmt.Appendf(nil, `{"id":%d,`, i)) {
			t.Fatalf("%d: %s %v", i, line, err)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkPolicy is the time of one call through a process that is there.
func BenchmarkPolicy(b *testing.B) {
	cmd := exec.CommandContext(b.Context(), filepath.Join(bin, "apctl"), "compat", "policy", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		b.Fatal("the process does not start", err)
	}
	lines := bufio.NewReader(out)
	for b.Loop() {
		_, _ = fmt.Fprintln(in, `{"id":1,"fn":"kill-pre","input":{"iterationsCompleted":1,"maxSessions":5,"elapsedMs":1,"maxHoursMs":9}}`)
		if _, err := lines.ReadBytes('\n'); err != nil {
			b.Fatal(err)
		}
	}
	_ = in.Close()
	_ = cmd.Wait()
}
