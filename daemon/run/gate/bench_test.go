package gate

import (
	"os"
	"path/filepath"
	"testing"

	"autopilot/projections/rule"
)

// benchRequest pins this machine's own PATH.
func benchRequest(b *testing.B) PinRequest {
	b.Helper()
	dir := b.TempDir()
	return PinRequest{
		Workspace: dir, Home: filepath.Join(dir, "home"), Cache: filepath.Join(dir, "cache"),
		ClientEnv: os.Environ(), Commands: []rule.Command{{Text: "go test ./... && git diff"}},
	}
}

func BenchmarkPin(b *testing.B) {
	r := benchRequest(b)
	for b.Loop() {
		if _, err := Pin(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckTools(b *testing.B) {
	p, err := Pin(benchRequest(b))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if changes, err := p.CheckTools(); err != nil || len(changes) > 0 {
			b.Fatal(changes, err)
		}
	}
}
