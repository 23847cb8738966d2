package ctl

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/ctl/render"
	"autopilot/events/wire"
	"autopilot/projections/marker"
)

// exhibit is a question as a person at the terminal is shown it: at once, or in
// pages and from then on by the file that holds all of it.
type exhibit struct {
	text func(render.Style) string
	file string
}

// exhibit shows a long question in pages, or in an editor. A question is always shown
// whole: what cannot be paged is written to the terminal.
func (a *app) exhibit(v wire.RunView, open bool) (exhibit, error) {
	all := exhibit{text: func(s render.Style) string { return s.Question(v) }}
	program := a.pager()
	if open {
		if program = cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR")); program == "" {
			return all, render.NoEditor()
		}
	}
	if !a.interactive() || !open && (program == "" || !render.LongQuestion(v)) {
		return all, nil
	}
	tty, err := a.Terminal()
	if err != nil {
		return all, nil //nolint:nilerr // the next prompt reports what is wrong with the terminal
	}
	defer tty.Close()
	screen, ok := tty.(*os.File)
	if !ok {
		return all, nil
	}
	if all.file, err = a.keepQuestion(v); err == nil {
		err = a.runPager(program, all.file, open, screen)
	}
	if err != nil {
		a.note(render.NotPaged(program, err))
		return all, nil
	}
	return exhibit{func(s render.Style) string { return s.QuestionRead(v, all.file) }, all.file}, nil
}

// pager is the program that shows long texts, or empty.
func (a *app) pager() string {
	if a.getenv("TERM") == "dumb" {
		return ""
	}
	if p := strings.TrimSpace(a.getenv("PAGER")); p != "" {
		return p
	}
	for _, p := range []string{"less", "more"} {
		if _, err := exec.LookPath(p); err == nil {
			return p
		}
	}
	return ""
}

// runPager shows a file, and waits. The terminal's signals are the pager's meanwhile.
func (a *app) runPager(program, file string, open bool, screen *os.File) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := exec.Command("/bin/sh", "-c", program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = f, screen, screen
	if open {
		cmd.Args[2] += ` "$1"`
		cmd.Args = append(cmd.Args, "sh", file)
		cmd.Stdin = screen
	}
	cmd.Env = marker.WithoutRepository(a.Environ)
	if a.getenv("LESS") == "" {
		cmd.Env = append(slices.Clip(cmd.Env), "LESS=FRX")
	}
	if a.signals == nil {
		stop := a.hear()
		defer func() {
			stop()
			a.signals = nil
		}()
	}
	return cmd.Run()
}

// keepQuestion writes a question to a file that only its user can read.
func (a *app) keepQuestion(v wire.RunView) (string, error) {
	p, err := a.FindPlaces()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(p.Runtime, "shown")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	s := a.terminalStyle()
	s.Colour = false
	file := filepath.Join(dir, fmt.Sprintf("%s-%d.txt", render.Line(v.Handle), v.Question.Number))
	return file, replaceFile(file, s.Question(v), 0o600)
}

// drop removes the file once its question is answered.
func (e exhibit) drop() {
	if e.file != "" {
		_ = os.Remove(e.file) // it is gone with the session of the user at the latest
	}
}

// once gives the text the first time alone.
func (e *exhibit) once(s render.Style) string {
	text := e.text(s)
	e.text = func(render.Style) string { return "" }
	return text
}

// shownHash proves that all of a question was shown; empty where some is left out.
func shownHash(q wire.QuestionView) string {
	if q.Cut > 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(q.Text))
	return hex.EncodeToString(sum[:])
}

// seen has a person type the start of the hash of each file that no text can show.
func (a *app) seen(req *wire.AnswerRequest, v wire.RunView, shown func(render.Style) string) error {
	for _, f := range wire.ToName(v.Question.Opaque) {
		if _, unseen := wire.Unseen([]wire.OpaqueFile{f}, req.Seen); !unseen {
			continue
		}
		typed, err := a.typed(func(s render.Style) string { return shown(s) + s.Of(v).SeenAsk(f) })
		switch {
		case err != nil:
			return err
		case !f.Named(typed):
			return render.NotSeen(v, f)
		}
		req.Seen = append(req.Seen, typed)
	}
	return nil
}

// show shows a question to who does not answer it now.
func (a *app) show(v wire.RunView, open bool) error {
	if a.json || a.Out.Columns == nil || !a.interactive() {
		return a.answer(wire.SchemaRun, v, func(s render.Style) string { return s.Question(v) })
	}
	e, err := a.exhibit(v, open)
	if err != nil {
		return err
	}
	return a.say(e.text(a.style(a.Out)))
}
