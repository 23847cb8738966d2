package unit

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

var services = map[string]Service{
	"plain": {Program: "/home/me/.local/bin/autopilotd", Env: [][2]string{
		{"PATH", "/home/me/.local/bin:/usr/bin:/bin"}, {"AUTOPILOT_STATE", "/home/me/.local/state/autopilot"},
	}},
	"odd": {Program: "/home/m e/50%/autopilotd", Env: [][2]string{
		{"PATH", "/opt/a & b/bin:/usr/bin"}, {"AUTOPILOT_STATE", `/home/m e/<state>\1%`}, {"AUTOPILOT_X", "two\nlines\tand $HOME"},
	}},
}

func TestUnitFilesAreAsTheyWere(t *testing.T) {
	t.Parallel()
	for name, s := range services {
		for ext, text := range map[string]string{".service": Systemd(s), ".plist": Launchd(s)} {
			path := filepath.Join("testdata", name+ext)
			if *update {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
			if !strings.Contains(text, Mark) {
				t.Errorf("%s has no mark", path)
			}
		}
	}
}

func TestAPropertyListIsXMLWithWhatItWasGiven(t *testing.T) {
	t.Parallel()
	d := xml.NewDecoder(strings.NewReader(Launchd(services["odd"])))
	var words []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := token.(xml.CharData); ok {
			words = append(words, string(c))
		}
	}
	all := strings.Join(words, "\x00")
	for _, want := range []string{services["odd"].Program, services["odd"].Env[1][1], services["odd"].Env[2][1]} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in it", want)
		}
	}
}
