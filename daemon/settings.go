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
	if err := decodeSettings(src, &s); err != nil {
		return s, fmt.Errorf("read settings %s: %w", path, err)
	}
	return s, nil
}

func decodeSettings(src []byte, s *Settings) error {
	doc, err := strictyaml.Parse(src)
	if err != nil {
		return err
	}
	if err := doc.Decode(s); err != nil {
		// Quotes alone would not make a size of it.
		var e *strictyaml.Error
		if errors.As(err, &e) && strings.HasPrefix(e.Msg, "quota: want text, found a number") {
			e.Fix = "write it as 64MiB or 4GiB"
		}
		return err
	}
	var bad *badSetting
	if errors.As(s.Check(), &bad) {
		return doc.Errorf(bad.key, bad.want, "%s: %s", bad.key, bad.what)
	}
	return nil
}

// badSetting is a value that means nothing.
type badSetting struct{ key, what, want string }

func (b *badSetting) Error() string { return b.key + ": " + b.what + ": " + b.want }

// Check refuses values that mean nothing. Nothing is clamped.
func (s Settings) Check() error {
	if s.Durability != bus.Power && s.Durability != bus.Process {
		return &badSetting{"durability", fmt.Sprintf("%q is not known", s.Durability), fmt.Sprintf("write %s or %s", bus.Power, bus.Process)}
	}
	if s.Idle < 0 {
		return &badSetting{"idle", fmt.Sprintf("%v is negative", s.Idle), "write 30m, or 0s to serve for ever"}
	}
	n, err := ParseBytes(s.Quota)
	if err != nil {
		return &badSetting{"quota", fmt.Sprintf("%q is no size", s.Quota), "write it as 64MiB or 4GiB"}
	}
	if n < minQuota {
		return &badSetting{"quota", s.Quota + " is too small", "write 16MiB or more"}
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
