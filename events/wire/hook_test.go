package wire

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestAHookRequestFitsAndIsText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("aé", MaxHookText)
	q := HookRequest{Session: long, Command: "x" + long, Files: append(slices.Repeat([]string{"", "ü"}, 300), "\xff")}.Bounded()
	b, err := json.Marshal(q)
	if err != nil || len(b) > MaxBody || len(q.Files) != MaxHookFiles/2 || len(q.Session) > 100 || !strings.HasPrefix(q.Command, "xaé") {
		t.Errorf("%v: %d bytes, %d files", err, len(b), len(q.Files))
	}
	q = HookRequest{Files: []string{"\xffa", long}}.Bounded()
	if len(q.Files) != 1 || q.Files[0] != "a" {
		t.Errorf("%d files, %.20q", len(q.Files), q.Files)
	}
}
