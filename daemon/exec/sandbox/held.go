package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/store/durable"
)

// mostHeld bounds the folders that are remembered; the oldest go first.
const mostHeld = 256

func (h Host) heldFile() string { return filepath.Join(h.State, "held-out") }

// Held lists the folders of held-out files that runs have named, the latest last. They
// are hidden from every effect, so that no other run reads what one will be judged by.
func (h Host) Held() []string {
	text, err := os.ReadFile(h.heldFile())
	if err != nil {
		return nil // none was named yet
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// Hold remembers a folder of held-out files. One caller at a time.
func (h Host) Hold(dir string) error {
	if strings.ContainsAny(dir, "\n\r") {
		return fmt.Errorf("remember %q: its path has a line break", dir)
	}
	text, err := os.ReadFile(h.heldFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	list := slices.DeleteFunc(strings.Split(string(text), "\n"), func(known string) bool { return known == "" || known == dir })
	list = append(list, dir)
	return durable.Replace(h.heldFile(), []byte(strings.Join(list[max(0, len(list)-mostHeld):], "\n")+"\n"))
}

// hold hides those folders, but from who works in one of them.
func (p *planner) hold() {
	for _, dir := range p.held {
		if !p.covers(dir, p.Work) && !p.covers(dir, p.State) {
			p.plan.Hide = append(p.plan.Hide, dir)
		}
	}
}

// seal keeps everything as it is but what the gate owns. Tools that lie in a folder
// for temporary files stay in sight.
func (p *planner) seal() {
	p.plan.Sealed, p.plan.Write = true, slices.Clone(p.Write)
	for _, dir := range []string{p.Temp, "/var/tmp", "/dev/shm", p.env["TMPDIR"]} {
		if filepath.IsAbs(dir) && !p.covers(dir, p.Home) && !p.covers(p.Work, dir) {
			p.plan.Empty = append(p.plan.Empty, dir)
		}
	}
	needed := append([]string{p.Work}, filepath.SplitList(p.env["PATH"])...)
	needed = append(needed, p.places("", toolchainNames+" GOROOT JAVA_HOME")...)
	p.plan.Show = append(p.plan.Show, slices.DeleteFunc(needed, func(path string) bool {
		return !filepath.IsAbs(path) || p.ours(path) && path != p.Work
	})...)
}
