package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestTheLogIsBegunAnewWhileTheDaemonRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "daemon.log")
	l, err := openLog(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := range 25 {
				if _, err := fmt.Fprintf(l, "worker %d says line %02d\n", i, k); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, name := range []string{path, path + ".1"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 1000 {
			t.Errorf("%s has %d bytes", name, len(b))
		}
		for line := range strings.Lines(string(b)) {
			if !strings.HasPrefix(line, "worker ") || !strings.HasSuffix(line, "\n") {
				t.Errorf("half a line: %q", line)
			}
			total++
		}
	}
	if total < 41 { // a file takes 41 lines
		t.Errorf("%d lines are left", total)
	}
}

func TestALogThatIsTooLongIsBegunAnewAtTheStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "daemon.log")
	if err := os.WriteFile(path, []byte(strings.Repeat("old\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := openLog(path, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Write([]byte("new\n")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "new\n" {
		t.Errorf("got %q %v", b, err)
	}
}

func TestALineThatIsLongerThanTheLogIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "daemon.log")
	l, err := openLog(path, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	long := strings.Repeat("x", 300) + "\n"
	for range 2 {
		if _, err := l.Write([]byte(long)); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != long {
		t.Errorf("got %d bytes, %v", len(b), err)
	}
}
