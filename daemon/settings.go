package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"autopilot/daemon/bus"
	"autopilot/daemon/strictyaml"
)

// Settings are what a user can set about the daemon, in the file config.yaml
// of the user's configuration. Flags of autopilotd come before it.
type Settings struct {
	Durability bus.Durability `yaml:"durability"` // power (default) or process
	Quota      string         `yaml:"quota"`      // of the event store, as 4GiB
	Idle       time.Duration  `yaml:"idle"`       // ends after so long without work, 0s never
	Gate       GateSettings   `yaml:"gate"`
}

// GateSettings are what gates get beside their pinned environment.
type GateSettings struct {
	Env map[string]string `yaml:"env"` // variables, which win over all others
}

// Defaults of the settings.
const (
	DefaultQuota = "4GiB"
	DefaultIdle  = 30 * time.Minute
)

// minQuota leaves room for the reserve.
const minQuota = 16 << 20

// ReadSettings reads the user's file over the defaults. A missing file is none.
func ReadSettings(path string) (Settings, error) {
	s := Settings{Durability: bus.Power, Quota: DefaultQuota, Idle: DefaultIdle}
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read settings: %w", err)
	}
	doc, err := strictyaml.Parse(src)
	if err == nil {
		err = doc.Decode(&s)
	}
	if err != nil {
		return s, fmt.Errorf("read settings %s: %w", path, err)
	}
	return s, s.Check()
}

// Check refuses values that mean nothing. Nothing is clamped.
func (s Settings) Check() error {
	if s.Durability != bus.Power && s.Durability != bus.Process {
		return fmt.Errorf("durability %q: want %s or %s", s.Durability, bus.Power, bus.Process)
	}
	if s.Idle < 0 {
		return fmt.Errorf("idle %v: must not be negative", s.Idle)
	}
	n, err := ParseBytes(s.Quota)
	if err != nil {
		return fmt.Errorf("quota: %w", err)
	}
	if n < minQuota {
		return fmt.Errorf("quota %s: at least 16MiB", s.Quota)
	}
	return nil
}

// ParseBytes reads a size such as 64MiB or 4GiB.
func ParseBytes(text string) (int64, error) {
	units := []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || n > (1<<62)/u.size {
			break
		}
		return n * u.size, nil
	}
	return 0, fmt.Errorf("%q is no size; write it as 64MiB or 4GiB", text)
}
