package ctl

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

const (
	maxTask   = 1 << 20  // bytes of a task
	inlineMax = 16 << 10 // a larger task goes through the blob store
	maxScript = 32 << 10 // bytes of a script, which travels in the request
	maxNote   = 32 << 10
)

// checkText refuses what no prompt, argument or environment can hold.
func checkText(what, text string) error {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return render.BadText(what, fmt.Sprintf("has a NUL byte at position %d", i))
	}
	if !utf8.ValidString(text) {
		i := 0
		for i < len(text) {
			r, n := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return render.BadText(what, fmt.Sprintf("is not valid UTF-8 at byte %d", i))
	}
	return nil
}

// task is the task of a run: an argument, a file, or standard input.
func (a *app) task(args []string, file string) (string, error) {
	var text string
	switch {
	case file != "" && len(args) > 0:
		return "", render.TwoTasks()
	case file == "-", file == "" && len(args) > 0 && args[0] == "-":
		t, err := a.readText("the task", "-", maxTask)
		if err != nil {
			return "", err
		}
		text = t
	case file != "":
		t, err := a.readFile("the task file", file, maxTask)
		if err != nil {
			return "", err
		}
		text = t
	case len(args) > 0:
		text = args[0]
	}
	if len(text) > maxTask {
		return "", render.TooLarge("the task", int64(len(text)), maxTask)
	}
	if err := checkText("the task", text); err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", render.NoTask()
	}
	return text, nil
}

// findingsIn reads and checks the findings of a file, - is standard input; none
// without a file.
func (a *app) findingsIn(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := a.readText("the findings", file, wire.MaxFindings)
	if err != nil {
		return "", err
	}
	if _, bad := wire.ParseFindings(text); bad != nil {
		return "", bad
	}
	return text, nil
}

// readText is readFile, or reads standard input where the file is -.
func (a *app) readText(what, file string, limit int64) (string, error) {
	if file != "-" {
		return a.readFile(what, file, limit)
	}
	b, err := io.ReadAll(io.LimitReader(a.In, limit+1))
	if err != nil {
		return "", render.Unreadable(what+" from", "standard input", err)
	}
	if int64(len(b)) > limit {
		return "", render.TooLarge(what, int64(len(b)), limit)
	}
	return string(b), nil
}

// readFile reads a text file of at most limit bytes, relative to the caller.
func (a *app) readFile(what, path string, limit int64) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", render.Unreadable(what, path, cause(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return "", render.Unreadable(what, path, cause(err))
	}
	if int64(len(b)) > limit {
		size := int64(len(b))
		if st, err := f.Stat(); err == nil {
			size = max(size, st.Size())
		}
		return "", render.TooLarge(what, size, limit)
	}
	return string(b), nil
}

// cause is an error without the path that the message names already.
func cause(err error) error {
	if p, ok := err.(*os.PathError); ok { //nolint:errorlint // only the outermost error carries the path
		return p.Err
	}
	return err
}
