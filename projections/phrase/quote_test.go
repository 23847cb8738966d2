package phrase_test

import (
	"testing"

	"autopilot/projections/phrase"
)

func TestQuoteIsOneWordForAShell(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"/srv/p-1/x": "/srv/p-1/x", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "~x": "'~x'",
		"--for=4h": "--for=4h", "=ls": "'=ls'", "日本": "'日本'",
	} {
		if got := phrase.Quote(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
