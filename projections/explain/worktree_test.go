package explain

import "testing"

func TestQuoteIsOneWordForAShell(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"/srv/p-1/x": "/srv/p-1/x", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "~x": "'~x'",
	} {
		if got := Quote(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
