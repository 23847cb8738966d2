package atdd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"autopilot/projections/atdd"
)

// Call is a call of one function.
type Call struct {
	Function string
	Args     []string
	In       io.Reader
	Environ  []string
	Dir      string // that paths are relative to
	Now      time.Time
}

// The exit codes of the functions: 0 goes on, and everything else is a halt.
const (
	exitFired   = 1
	exitInvalid = 2
	exitCorrupt = 3
)

// Exit is the exit code for what a function answered.
func Exit(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, atdd.ErrFired):
		return exitFired
	case errors.Is(err, atdd.ErrCorrupt):
		return exitCorrupt
	}
	return exitInvalid
}

// Function is one of the functions. Name is as it is typed; in the shell it has
// underscores. One that begins with _ is for the others of the library, and for files
// that source it.
type Function struct {
	Name, Usage, Short string
	least, most        int // arguments
	file               int // which of them is the file that it is about
	writes             bool
	run                func(ctx context.Context, c Call) (out string, err error)
}

// noFile is of a function that is about none.
const noFile = -1

// Functions are all of them.
func Functions() []Function {
	return []Function{
		{"fingerprint", "<PAYLOAD", "the fingerprint of a payload", 0, 0, noFile, false, fingerprint},
		{"record-iteration", "LOG N STEP PASS|FAIL FINGERPRINT", "append the row of an iteration", 5, 5, 0, true, recordIteration},
		{"record-halt", "LOG STEP REASON [FINDINGS]", "append the row of a halt", 3, 4, 0, true, recordHalt},
		{"check-sameness", "LOG [STEP]", "1 if the last two failed iterations are equal", 1, 2, 0, false, checkSameness},
		{"check-stuck", "LOG [WINDOW] [STEP]", "1 if two of the last WINDOW (3) failed ones are equal", 1, 3, 0, false, checkStuck},
		{"check-max-iterations", "N MOST", "1 if N is MOST or more", 2, 2, noFile, false, checkMax},
		{"check-log-integrity", "LOG ROWS", "1 if the log has another number of rows", 2, 2, 0, false, checkIntegrity},
		{"pin-anchor", "PIN <ANCHOR", "pin what was approved, once", 1, 1, 0, true, pinAnchor},
		{"check-pin", "PIN FINGERPRINT", "1 if it is not what was pinned", 2, 2, 0, false, checkPin},
		{"record-red-evidence", "LOG COMMIT FILE [IMPL]", "append the row of a test that was seen red", 3, 4, 0, true, recordRed},
		{"check-red-evidence", "COMMIT IMPL LOG [REPOSITORY]", "1 unless COMMIT was seen red and is before IMPL", 3, 4, 2, false, checkRed},
		{"_fingerprints", "LOG [STEP]", "the fingerprints of the failed iterations, a line each", 1, 2, 0, false, fingerprints},
		{"_json-escape", "TEXT", "a text as the body of a JSON string", 1, 1, noFile, false, jsonEscape},
		{"_sha256", "<BYTES", "the SHA-256 of standard input", 0, 0, noFile, false, sha256Of},
	}
}

// Run calls a function. What it prints, a fingerprint, is for standard output.
func Run(ctx context.Context, c Call) (string, error) {
	f, err := c.function()
	if err != nil {
		return "", err
	}
	return f.run(ctx, c)
}

// function is the one that is called, with as many arguments as it takes.
func (c Call) function() (f Function, err error) {
	all := Functions()
	i := slices.IndexFunc(all, func(f Function) bool { return f.shell() == shellName(c.Function) })
	switch {
	case i < 0 && c.Function == "":
		return f, fmt.Errorf("%w: no function is named; apctl compat atdd rails --help lists them", atdd.ErrInvalid)
	case i < 0:
		return f, fmt.Errorf("%w: there is no function %q; apctl compat atdd rails --help lists them", atdd.ErrInvalid, c.Function)
	}
	f = all[i]
	if n := len(c.Args); n < f.least || n > f.most {
		err = fmt.Errorf("%w: usage: %s %s", atdd.ErrInvalid, f.Name, f.Usage)
	}
	return f, err
}

// arg is an argument, or what stands for one that was left out or is empty.
func (c Call) arg(i int, or string) string {
	if i < len(c.Args) && c.Args[i] != "" {
		return c.Args[i]
	}
	return or
}

func fingerprint(_ context.Context, c Call) (string, error) {
	print, err := c.payload()
	if err != nil {
		return "", err
	}
	return print + "\n", nil
}

func (c Call) payload() (string, error) {
	b, err := io.ReadAll(c.In)
	if err != nil {
		return "", fmt.Errorf("%w: read standard input: %w", atdd.ErrInvalid, err)
	}
	return atdd.Fingerprint(b)
}

func recordIteration(_ context.Context, c Call) (string, error) {
	row, err := atdd.Iteration(c.Args[1], c.Args[2], c.Args[3], c.Args[4], c.Now)
	if err != nil {
		return "", err
	}
	return "", c.add(c.Args[0], row)
}

func recordHalt(_ context.Context, c Call) (string, error) {
	row, err := atdd.Halt(c.Args[1], c.Args[2], c.arg(3, ""), c.Now)
	if err != nil {
		return "", err
	}
	return "", c.add(c.Args[0], row)
}

func checkSameness(_ context.Context, c Call) (string, error) {
	log, _, err := c.read(c.Args[0])
	if err != nil {
		return "", err
	}
	return "", atdd.Sameness(log, c.arg(1, ""))
}

func checkStuck(_ context.Context, c Call) (string, error) {
	log, _, err := c.read(c.Args[0])
	if err != nil {
		return "", err
	}
	return "", atdd.Stuck(log, c.arg(1, "3"), c.arg(2, ""))
}

func checkMax(_ context.Context, c Call) (string, error) {
	return "", atdd.MaxIterations(c.Args[0], c.Args[1])
}

func checkIntegrity(_ context.Context, c Call) (string, error) {
	log, there, err := c.read(c.Args[0])
	if err != nil {
		return "", err
	}
	return "", atdd.Integrity(log, there, c.Args[1])
}

func pinAnchor(_ context.Context, c Call) (string, error) {
	print, err := c.payload()
	if err != nil {
		return "", err
	}
	return "", c.create(c.Args[0], []byte(print+"\n"))
}

func checkPin(_ context.Context, c Call) (string, error) {
	pinned, there, err := c.read(c.Args[0])
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %s", atdd.ErrInvalid, atdd.Because(err))
	case !there:
		return "", fmt.Errorf("%w: missing AC pin: %s", atdd.ErrInvalid, c.Args[0])
	}
	return "", atdd.Pin(pinned, c.Args[1])
}

func fingerprints(_ context.Context, c Call) (string, error) {
	log, _, err := c.read(c.Args[0])
	if err != nil {
		return "", err
	}
	all, err := atdd.Failures(log, c.arg(1, ""))
	if err != nil || len(all) == 0 {
		return "", err
	}
	return string(bytes.Join(all, []byte("\n"))) + "\n", nil
}

func jsonEscape(_ context.Context, c Call) (string, error) { return atdd.Escape(c.Args[0]), nil }

func sha256Of(_ context.Context, c Call) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, c.In); err != nil {
		return "", fmt.Errorf("%w: read standard input: %w", atdd.ErrInvalid, err)
	}
	return hex.EncodeToString(h.Sum(nil)) + "\n", nil
}

func recordRed(_ context.Context, c Call) (string, error) {
	row, err := atdd.Seen(c.Args[1], c.Args[2], c.arg(3, ""), c.Now)
	if err != nil {
		return "", err
	}
	return "", c.add(c.Args[0], row)
}
