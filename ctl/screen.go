package ctl

import (
	"cmp"
	"fmt"
	"time"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// Sequences of the refreshing line: no wrapping while it is drawn, so that a
// terminal that was made narrower shows one line all the same.
const (
	lineStart = "\r\x1b[?7l"
	lineEnd   = "\x1b[K\x1b[?7h"
	lineClear = "\r\x1b[K"
	bell      = "\a" // that a notify rule asks for
)

// screen shows a followed run: one refreshing line, plain lines, or JSON.
type screen struct {
	a       *app
	refresh bool
	view    wire.RunView
	at      time.Time // when the view came
	drawn   bool
	waits   string // what it was said to wait for
}

func newScreen(a *app, v wire.RunView) *screen {
	return &screen{a: a, refresh: a.refreshes(a.Out) && !a.json, view: v, at: a.Now()}
}

// show takes a frame.
func (s *screen) show(f wire.WatchFrame) error {
	s.view, s.at = f.View, s.a.Now()
	if f.Bell && !s.a.json && s.a.refreshes(s.a.Err) {
		s.a.note(bell)
	}
	switch {
	case s.a.json:
		return s.a.answer(wire.SchemaWatch, f, nil)
	case s.refresh:
		return s.draw()
	case f.Line != "":
		if f.View.State != "waiting" {
			s.waits = "" // the line says that it goes on
		}
		return s.a.say(s.a.style(s.a.Out).WatchLine(f))
	}
	return s.wait(f.View)
}

// wait says in one line that the run waits, and in another that it goes on. Only
// signs of life say so: frames of events show what was, also long ago.
func (s *screen) wait(v wire.RunView) error {
	waits := ""
	if v.State == "waiting" {
		waits = cmp.Or(v.Reason, v.State)
	}
	if waits == s.waits {
		return nil
	}
	s.waits = waits
	style := s.a.style(s.a.Out)
	switch {
	case waits != "":
		return s.a.say(style.Waits(v))
	case v.Exit >= 0:
		return nil
	}
	return s.a.say(style.GoesOn(v))
}

// tick draws the line again, as time goes on.
func (s *screen) tick() error {
	if !s.refresh {
		return nil
	}
	return s.draw()
}

func (s *screen) draw() error {
	v := s.view
	if v.State == "running" {
		v.ActiveMS += s.a.Now().Sub(s.at).Milliseconds()
	}
	s.drawn = true
	return s.a.say(lineStart + s.a.style(s.a.Out).Live(v) + lineEnd)
}

// clear takes the line away, so that other text can follow.
func (s *screen) clear() {
	if s.drawn {
		s.drawn = false
		_, _ = fmt.Fprint(s.a.Out, lineClear)
	}
}

// note says something beside the run.
func (s *screen) note(text func(render.Style) string) {
	if s.a.json {
		return
	}
	s.clear()
	s.a.note(text(s.a.style(s.a.Err)))
}
