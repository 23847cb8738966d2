package goals

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
)

// adderDir names, in the environment of a child, where it adds stories until it is killed.
const adderDir = "GOALS_TEST_ADDS_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(adderDir); dir != "" {
		add(dir)
		return
	}
	os.Exit(m.Run())
}

// running is a store as the command has it: what holds its lock is looked for.
func running(dir string) Store {
	s := storeIn(dir)
	s.Alive = func(pid int) bool { return syscall.Kill(pid, 0) == nil }
	return s
}

func add(dir string) {
	s := running(dir)
	for n := 0; ; n++ {
		title := fmt.Sprintf("p%d-%d", os.Getpid(), n)
		if err := s.add(context.Background(), title); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		fmt.Println(title)
	}
}

// A writer that is killed loses no story that it has told of, adds none twice, and holds
// nobody up.
func TestAKilledWriterLosesNothing(t *testing.T) {
	t.Parallel()
	s := running(newStore(t).Root)
	var told []string
	for round := range 6 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), adderDir+"="+s.Root)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range round + 1 {
			if !lines.Scan() {
				t.Fatalf("the writer ended by itself: %v", lines.Err())
			}
			told = append(told, lines.Text())
		}
		if err := child.Process.Kill(); err != nil { // while it adds the next ones
			t.Fatal(err)
		}
		for lines.Scan() {
			told = append(told, lines.Text())
		}
		_ = child.Wait() // it was killed
		st, err := s.Read(t.Context())
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		var have []string
		for _, g := range st.Plan.Goals[2:] {
			have = append(have, g.Title)
		}
		if got := slices.Compact(slices.Sorted(slices.Values(have))); len(got) != len(have) {
			t.Fatalf("round %d: a story is there twice: %q", round, have)
		}
		for _, title := range told {
			if !slices.Contains(have, title) {
				t.Fatalf("round %d: %s is lost of %q", round, title, have)
			}
		}
		if len(st.Rows) != 1+len(have) {
			t.Errorf("round %d: %d rows for %d stories", round, len(st.Rows), len(have))
		}
	}
	if err := s.add(t.Context(), "the last one"); err != nil {
		t.Error(err)
	}
	if got := s.files(t); len(got) != 3 {
		t.Errorf("something is left over: %d files", len(got))
	}
}
