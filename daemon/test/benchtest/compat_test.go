package benchtest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	railGoal  = 20 * time.Millisecond // exec to exit, over a program that does nothing
	railRows  = 10_000
	railTurns = 100
)

// compat makes the row of a check that a skill makes at each iteration, on a long
// log of its own.
func (b *bench) compat(t *table) error {
	nothing, err := b.build("nothing")
	if err != nil {
		return err
	}
	var log bytes.Buffer
	for i := range railRows {
		fmt.Fprintf(&log, `{"iteration":%d,"step":"running-atdd-cycle","verdict":"FAIL","fingerprint":"%x","timestamp":"2026-07-02T03:04:05Z"}`+"\n",
			i, sha256.Sum256(fmt.Append(nil, i)))
	}
	path := b.path("audit.jsonl")
	if err := os.WriteFile(path, log.Bytes(), 0o600); err != nil {
		return err
	}
	floor, ours, err := turns(railTurns,
		func() (time.Duration, error) { return took(b.command(b.path("."), nothing).Run) },
		func() (time.Duration, error) {
			return took(b.command(b.path("."), b.program("apctl"), "compat", "atdd", "rails", "check-stuck", path, "3", "running-atdd-cycle").Run)
		})
	if err != nil {
		return errors.Join(errors.New("apctl compat atdd rails"), err)
	}
	t.more(fmt.Sprintf("check-stuck on %d rows, exec to exit, p50", railRows), median(floor), median(ours), railGoal)
	return nil
}
