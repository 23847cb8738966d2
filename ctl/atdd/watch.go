package atdd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/atdd"
)

// mostRows bounds what is taken for read before.
const mostRows = 1 << 24

// Watch reads the files that atdd-kit keeps of an issue, as often as it is asked,
// and says of each new row what it is. It also sees what was changed or is gone
// since it looked last. It writes nothing, and is for one goroutine.
type Watch struct {
	call   Call
	dir    string
	whole  bool // a row counts once its line has an end
	log    seen
	red    seen
	calls  called
	pins   map[string]pinned
	proofs map[[2]string]error
	judge  atdd.Judge
}

// seen is what was read of a file.
type seen struct {
	there  bool
	text   [sha256.Size]byte
	sums   []uint64 // of the lines, empty ones too
	judged int      // lines
	last   []byte   // the newest row
}

// NewWatch watches the directory of an issue. follow says that rows are still being
// written: one without a line end may be half of one.
func NewWatch(ctx context.Context, c Call, dir string, follow bool) *Watch {
	w := &Watch{call: c, dir: dir, whole: follow, pins: map[string]pinned{}, proofs: map[[2]string]error{}}
	w.judge.Proven = func() error { return w.proven(ctx) }
	return w
}

// Before tells what was read on an earlier day. Of that nothing is said again,
// unless it has changed since.
func (w *Watch) Before(rows []wire.AtddRow) {
	for _, r := range rows {
		switch r.Kind {
		case "pin":
			w.pins[r.File] = pinned{there: true, text: r.Fingerprint}
			continue
		case "file":
			continue
		case "call":
			w.calls.already = max(w.calls.already, r.Line)
			continue
		}
		s := &w.log
		if r.File == atdd.RedFile {
			s = &w.red
		}
		s.there = true
		for len(s.sums) < min(r.Line, mostRows) { // lines in between were empty
			s.sums = append(s.sums, emptySum)
		}
		if r.Line > 0 && r.Line <= len(s.sums) {
			s.sums[r.Line-1] = short(r.Sum)
		}
	}
}

// Next says what is new, in the order: tests that were seen red, the log, the pins,
// calls.
func (w *Watch) Next(say func(wire.AtddRow) error) error {
	for _, f := range []struct {
		name string
		of   *seen
	}{{atdd.RedFile, &w.red}, {atdd.LogFile, &w.log}} {
		if err := w.file(f.name, f.of, say); err != nil {
			return err
		}
	}
	if err := w.lookAtPins(say); err != nil {
		return err
	}
	return w.lookAtCalls(say)
}

// View is what all of it comes to.
func (w *Watch) View() wire.AtddView {
	v := w.judge.View()
	v.Dir, v.Files, v.Calls = w.dir, []string{}, w.calls.count
	for _, f := range []struct {
		name  string
		there bool
	}{{atdd.LogFile, w.log.there}, {atdd.RedFile, w.red.there}, {atdd.PRDPin, w.pins[atdd.PRDPin].there}, {atdd.DesignPin, w.pins[atdd.DesignPin].there}} {
		if f.there {
			v.Files = append(v.Files, f.name)
		}
	}
	return v
}

// Found says that there is anything at all.
func (w *Watch) Found() bool { return len(w.View().Files) > 0 || w.calls.count > 0 }

func (w *Watch) file(name string, s *seen, say func(wire.AtddRow) error) error {
	text, there, err := w.call.read(filepath.Join(w.dir, name))
	if err != nil {
		return err
	}
	if !there {
		if !s.there {
			return nil
		}
		n := notEmpty(s.sums)
		*s = seen{}
		return w.changed(name, 0, say, "it is gone, with %s", countRows(n))
	}
	s.there = true
	if w.whole {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	sum := sha256.Sum256(text)
	if sum == s.text {
		return nil
	}
	s.text = sum
	return w.lines(name, s, text, say)
}

// lines compares what was read before with what is there now, and judges the rest.
func (w *Watch) lines(name string, s *seen, text []byte, say func(wire.AtddRow) error) error {
	old, number, edited := s.sums, 0, 0
	rows := inPairs{say: say}
	s.sums = make([]uint64, 0, len(old)+1)
	for line := range atdd.Lines(text) {
		number++
		sum := emptySum
		if len(line) > 0 {
			sum, s.last = sumOf(line), append(s.last[:0], line...)
		}
		s.sums = append(s.sums, sum)
		if number <= len(old) && edited == 0 && old[number-1] != sum {
			edited = number
		}
		if len(line) == 0 || number <= s.judged {
			continue
		}
		s.judged = number
		if r := w.judge.Row(name, number, line); number > len(old) {
			if err := rows.next(r); err != nil {
				return err
			}
		}
	}
	if err := rows.end(); err != nil {
		return err
	}
	fewer := ""
	if number < len(old) {
		fewer = fmt.Sprintf("it has %s, and had %d", countRows(notEmpty(s.sums)), notEmpty(old))
	}
	switch {
	case edited > 0 && fewer != "":
		return w.changed(name, edited, say, "the row is not what it was; %s", fewer)
	case edited > 0:
		return w.changed(name, edited, say, "the row is not what it was")
	case fewer != "":
		return w.changed(name, 0, say, "%s", fewer)
	}
	return nil
}

// inPairs says rows one after the other, each once the next one is known: a halt that
// was made is no problem of the row before it.
type inPairs struct {
	say  func(wire.AtddRow) error
	held *wire.AtddRow
}

func (p *inPairs) next(r wire.AtddRow) error {
	if h := p.held; h != nil && r.Kind == "halt" && r.Step == h.Step {
		h.Problems = atdd.Halted(*h)
	}
	err := p.end()
	p.held = &r
	return err
}

func (p *inPairs) end() error {
	h := p.held
	if h == nil {
		return nil
	}
	p.held = nil
	return p.say(*h)
}

// emptySum stands for a line without anything.
const emptySum uint64 = 0

// sumOf is enough of a SHA-256 to see that a row was changed.
func sumOf(line []byte) uint64 {
	sum := sha256.Sum256(line)
	return max(binary.BigEndian.Uint64(sum[:]), 1)
}

// short is the same of a sum in hex, as rows have it.
func short(sum string) uint64 {
	b, err := hex.DecodeString(sum)
	if err != nil || len(b) != sha256.Size {
		return emptySum
	}
	return max(binary.BigEndian.Uint64(b), 1)
}

func notEmpty(sums []uint64) (n int) {
	for _, s := range sums {
		if s != emptySum {
			n++
		}
	}
	return n
}

func countRows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// changed says that something that was recorded is not what it was.
func (w *Watch) changed(file string, line int, say func(wire.AtddRow) error, format string, args ...any) error {
	code := "log-integrity"
	if strings.HasSuffix(file, ".pin") {
		code = "ac-drift"
	}
	r := wire.AtddRow{File: file, Line: line, Kind: "file", Problems: []wire.AtddProblem{
		{Class: wire.AtddChanged, Code: code, Detail: fmt.Sprintf(format, args...)},
	}}
	w.judge.Count(r)
	return say(r)
}

// proven asks git whether the newest row of tests proves that they were seen red.
//
// Source: atdd-kit, seeds 3.4 stage 4.
func (w *Watch) proven(ctx context.Context) error {
	if !w.red.there || len(w.red.last) == 0 {
		return fmt.Errorf("%w: %s has no row", atdd.ErrFired, atdd.RedFile)
	}
	r, err := atdd.ReadRed(w.red.last)
	if err != nil {
		return err
	}
	if r.Impl == "" {
		return fmt.Errorf("%w: the newest row of %s names no impl_sha", atdd.ErrFired, atdd.RedFile)
	}
	key := [2]string{r.Commit, r.Impl}
	err, known := w.proofs[key]
	if !known {
		err = atdd.CheckCommits(r.Commit, r.Impl)
		if err == nil {
			err = history{w.path(), w.call.Environ}.before(ctx, r, r.Impl)
		}
		w.proofs[key] = err
	}
	return err
}

// Committed says which commits took rows out of the log or of the tests that were
// seen red: they are only ever added to.
func (w *Watch) Committed(ctx context.Context, say func(wire.AtddRow) error) error {
	h := history{w.path(), w.call.Environ}
	for _, name := range []string{atdd.RedFile, atdd.LogFile} {
		out, err := h.git(ctx, "log", "--no-merges", "--reverse", "--numstat", "--format=%H", "--", name)
		if err != nil {
			return nil // without a repository there is no such history
		}
		commit := ""
		for line := range strings.Lines(out) {
			f := strings.Fields(line)
			switch {
			case len(f) == 1:
				commit = f[0]
			case len(f) == 3 && f[1] != "0":
				if err := w.changed(name, 0, say, "commit %.12s takes out %s, or changes them", commit, taken(f[1])); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func taken(n string) string {
	if n == "1" {
		return "1 row"
	}
	return n + " rows"
}

func (w *Watch) path() string {
	if filepath.IsAbs(w.dir) {
		return w.dir
	}
	return filepath.Join(w.call.Dir, w.dir)
}

// FindLogs are the audit logs below a directory, where atdd-kit keeps them.
func FindLogs(dir string) []string {
	found, err := filepath.Glob(filepath.Join(EscapeGlob(dir), "docs", "issues", "*", atdd.LogFile))
	if err != nil {
		return nil
	}
	return found
}

// EscapeGlob is a directory in a pattern, as it is.
func EscapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
