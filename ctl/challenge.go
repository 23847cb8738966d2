package ctl

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// A person decides at a terminal, by typing a word that was shown there.

// maxTyped bounds what a person types.
const maxTyped = 256

// errUnasked is why nobody could be asked.
type errUnasked struct{ error }

func (e errUnasked) Unwrap() error { return e.error }

// unasked makes a fault of why nobody could be asked. Any other error stays.
func unasked(err error, fault func(why error) error) error {
	var e errUnasked
	if errors.As(err, &e) {
		return fault(e.error)
	}
	return err
}

// typed asks at the terminal itself, as standard input and output may be
// anything, and gives the line that was typed.
func (a *app) typed(question func(render.Style) string) (string, error) {
	return a.typedUpTo(maxTyped, question)
}

// typedUpTo is typed for a line of that many bytes.
func (a *app) typedUpTo(most int64, question func(render.Style) string) (string, error) {
	return a.typedAs(most, func(io.ReadWriter) (func(), error) { return func() {}, nil }, question)
}

// typedHidden is typed for what is not shown meanwhile. An interrupt is heard, so
// that the terminal shows again what is typed after it.
func (a *app) typedHidden(question func(render.Style) string) (string, error) {
	if a.signals == nil {
		stop := a.hear()
		defer func() {
			stop()
			a.signals = nil
		}()
	}
	return a.typedAs(maxTyped, func(tty io.ReadWriter) (func(), error) {
		f, ok := tty.(*os.File)
		if !ok {
			return func() {}, nil
		}
		show, err := hide(f)
		return func() {
			show()
			_, _ = io.WriteString(tty, "\n")
		}, err
	}, question)
}

// proof has a person type what proves a decision: the PIN where one is set, else
// what is shown.
func (a *app) proof(pin bool, question func(render.Style) string) (typed, secret string, err error) {
	if pin {
		secret, err = a.typedHidden(question)
		return "", secret, err
	}
	typed, err = a.typed(question)
	return typed, "", err
}

// typedAs prepares the terminal, asks there, and leaves it as it was.
func (a *app) typedAs(most int64, prepare func(io.ReadWriter) (func(), error), question func(render.Style) string) (string, error) {
	if !a.interactive() {
		return "", errUnasked{errors.New("there is no terminal to ask at")}
	}
	tty, err := a.Terminal()
	if err != nil {
		return "", errUnasked{err}
	}
	defer tty.Close()
	done, err := prepare(tty)
	if err != nil {
		return "", errUnasked{err}
	}
	defer done()
	if _, err := io.WriteString(tty, question(a.terminalStyle())); err != nil {
		return "", errUnasked{err}
	}
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		text, err := bufio.NewReader(io.LimitReader(tty, most)).ReadString('\n')
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return "", errUnasked{l.err}
		}
		return strings.TrimSpace(l.text), nil
	case <-a.signals:
		return "", exitStatus(wire.ExitInterrupted)
	}
}

// terminalStyle is the style of the terminal, wherever stdout and stderr go.
func (a *app) terminalStyle() render.Style {
	o := a.Err
	if o.Columns == nil {
		o.Columns = func() int { return 80 }
	}
	return a.style(o)
}
