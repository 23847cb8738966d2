package stream_test

import (
	"strings"
	"testing"

	"autopilot/daemon/agent/stream"
)

func TestAQuestionToAPersonIsSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Overwrite main.go? (y/n) ":             true,
		"Run shell command? (Y)es/(N)o [Yes]: ": false,
		"npm install (y/N)":                     true,
		"Ok to proceed? (y) ":                   false,
		"Do you want to proceed?\n❯ 1. Yes\n  2. No, and tell what to do (esc)\n":    true,
		"│ Do you trust the files in this folder? │\n│ 1. Yes, proceed │\n│ 2. No │": true,
		"Allow this command? [y/n/always] ":                                          true,
		"Press Enter to continue...":                                                 true,
		"Do you want to proceed? (y/n)\ny\nEdited main.go\n":                         false,
		"Would you like to proceed? I wait for your word.\n":                         false,
		"Do you want to continue?\n":                                                 false,
		"I wondered whether to continue.":                                            false,
		"it prints (y/n) and goes on":                                                false,
		"":                                                                           false,
	} {
		for _, f := range []stream.Format{stream.Text, stream.Claude} {
			r := stream.New(f, nil)
			_, _ = r.Write([]byte("working\n" + text))
			if got := r.Prompt(); (got != "") != want {
				t.Errorf("%s, %q: %q", f, text, got)
			}
		}
	}
	r := stream.New(stream.Claude, nil)
	_, _ = r.Write([]byte("Do you want to proceed? (y/n)\n" + resultHead + resultTail + "\n"))
	if got := r.Prompt(); got != "" {
		t.Errorf("after a result: %q", got)
	}
	if r = stream.New(stream.Claude, nil); strings.Contains(r.Prompt(), "?") {
		t.Error("nothing asks")
	}
}
