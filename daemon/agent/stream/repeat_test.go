package stream_test

import (
	"fmt"
	"strings"
	"testing"

	"autopilot/daemon/agent/stream"
)

// use is a tool of claude that is used and comes back.
func use(id int, command, result string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":%q}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}}
`, id, id, command, id, result)
}

func TestRepetitionIsTheSameUseWithTheSameResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		use        func(i int) (command, result string)
		now, stale int
	}{
		"B-39 one command that says the same": {func(int) (string, string) { return "git log", "none" }, 60, 59},
		"B-37 a server that is waited for":    {func(i int) (string, string) { return "curl :80", fmt.Sprint(i) }, 1, 0},
		"B-37 different commands, one result": {func(i int) (string, string) { return fmt.Sprint("sed ", i), "ok" }, 1, 0},
		"B-38 two in turn":                    {func(i int) (string, string) { return fmt.Sprint("cat ", i%2), "same" }, 1, 58},
		"edits between equal tests": {func(i int) (string, string) {
			if i%2 == 0 {
				return "go test", "FAIL"
			}
			return fmt.Sprint("edit ", i), "ok"
		}, 1, 0},
	} {
		var b strings.Builder
		for i := range 60 {
			command, result := c.use(i)
			b.WriteString(use(i, command, result))
		}
		s := stream.Read(stream.Claude, []byte(b.String()))
		if s.RepeatNow != c.now || s.Stale != c.stale {
			t.Errorf("%s: %d in a row and %d stale, want %d and %d", name, s.RepeatNow, s.Stale, c.now, c.stale)
		}
	}
}
