package meter

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/failpoint"
)

const (
	checkpointName  = "meter.json" // in the directory of the effect, which it does not see
	checkpointV     = 1
	checkpointBytes = 512 << 10
	checkpointEvery = 10 * time.Second
	// checkpointMost is after how many bytes a message may be half told.
	checkpointMost = 2 << 20
)

// checkpoint is what is known of the output before Offset, which is between two
// lines.
type checkpoint struct {
	V       int            `json:"v"`
	Spool   string         `json:"spool"` // an effect that began again has another
	Offset  int64          `json:"offset"`
	Partial bool           `json:"partial,omitzero"`
	Summary stream.Summary `json:"summary"`
}

// mark is where and when the last checkpoint was made.
type mark struct {
	offset int64
	at     time.Time
}

// checkpoint keeps what is known, now and then. It saves only what a crash
// would lose, so it is not synced, and one that cannot be written is done
// without: an effect never fails for its meter.
func (m *Meter) checkpoint() {
	grown, now := m.bound-m.saved.offset, m.cfg.Now()
	if m.saved.at.IsZero() {
		m.saved.at = now
	}
	since := now.Sub(m.saved.at)
	if grown <= 0 || grown < checkpointBytes && since >= 0 && since < checkpointEvery {
		return
	}
	if !m.whole && grown < checkpointMost {
		return // a message is told in several lines, each with the usage so far
	}
	m.saved = mark{m.bound, now}
	if m.write() == nil {
		failpoint.Hit(failpoint.AfterCheckpoint)
	}
}

func (m *Meter) write() error {
	spool, err := m.cfg.Dir.Spool(effect.Merged)
	if err != nil {
		return err
	}
	b, err := json.Marshal(checkpoint{
		V: checkpointV, Spool: filepath.Base(filepath.Dir(spool)), Offset: m.bound, Partial: m.partial, Summary: m.summary(),
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", checkpointName, err)
	}
	path := filepath.Join(m.cfg.Dir.Path(), checkpointName)
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", checkpointName, err)
	}
	return os.Rename(path+".new", path)
}

// resume goes on from the checkpoint of an earlier meter, if that has read more
// than what comes before the gap.
func (m *Meter) resume(gap effect.Chunk) bool {
	var c checkpoint
	b, err := os.ReadFile(filepath.Join(m.cfg.Dir.Path(), checkpointName))
	if err != nil || json.Unmarshal(b, &c) != nil || c.V != checkpointV {
		return false
	}
	spool, err := m.cfg.Dir.Spool(effect.Merged)
	if err != nil || filepath.Base(filepath.Dir(spool)) != c.Spool || c.Summary.Format != m.cfg.Format {
		return false
	}
	if c.Offset <= gap.Offset-gap.Gap {
		return false // it was read before the gap, by this meter as well
	}
	m.base, m.based, m.partial = c.Summary, true, c.Partial
	m.reader = stream.New(m.cfg.Format, m.item)
	m.offset, m.bound, m.saved.offset = c.Offset, c.Offset, c.Offset
	m.quiet, m.whole = c.Summary.Ended, true
	return true
}
