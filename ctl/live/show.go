package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Options are what the screen needs of the world.
type Options struct {
	Source  Source
	In      io.Reader
	Out     io.Writer
	Environ []string
	Now     func() time.Time
	Signals <-chan os.Signal // any of them leaves
}

// framesPerSecond is enough for lists and logs, and spares slow lines.
const framesPerSecond = 20

// Show shows a model on a terminal until a person leaves it, and says whether
// that was by an interrupt. The terminal is left as it was found.
func Show(ctx context.Context, m Model, o Options) (interrupted bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	p := &program{ctx: ctx, model: m, wg: &wg}
	t := tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out),
		tea.WithEnvironment(o.Environ), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	p.feed = newFeed(o.Source, m.style, o.Now, func(msg any) { t.Send(msg) })
	p.feed.follow(m)
	p.feed.guard = func(work func()) func() { return guarded(t.Kill, work) }
	wg.Go(func() { p.feed.run(ctx) })
	wg.Go(p.feed.guard(func() { clock(ctx, o.Now, t.Send) }))
	wg.Go(func() {
		select {
		case <-o.Signals:
			t.Send(Key{Name: "ctrl+c"})
		case <-ctx.Done():
		}
	})
	_, err = t.Run()
	if err != nil && (!errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrProgramPanic)) {
		return false, fmt.Errorf("show the screen: %w", err)
	}
	return p.interrupted, context.Cause(ctx)
}

// guarded is work that gives the terminal back before its panic is shown.
func guarded(giveBack, work func()) func() {
	return func() {
		defer func() {
			if r := recover(); r != nil {
				giveBack()
				panic(r)
			}
		}()
		work()
	}
}

// clock sends the time each second, as ages grow.
func clock(ctx context.Context, now func() time.Time, send func(tea.Msg)) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		send(Tick{Now: now()})
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}

// program ties the model to the library that draws it.
type program struct {
	ctx         context.Context //nolint:containedctx // of one Show, for what keys ask for
	model       Model
	feed        *feed
	wg          *sync.WaitGroup
	interrupted bool
}

// Init wants nothing: the feed has begun.
func (p *program) Init() tea.Cmd { return nil }

// Update hands a message to the model and does what that wants.
func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, want := p.model.Update(translate(msg))
	p.model = m
	p.feed.follow(m)
	switch {
	case want.Leave:
		p.interrupted = want.Interrupted
		return p, tea.Quit
	case want.Suspend:
		return p, tea.Suspend
	case want.Stop != "":
		name := m.handle(want.Stop)
		p.wg.Go(p.feed.guard(func() { p.feed.stop(p.ctx, want.Stop, name) }))
	}
	return p, nil
}

// View is the screen. The mouse is left to the terminal, so that text can be
// selected.
func (p *program) View() tea.View {
	v := tea.NewView(strings.Join(p.model.View(), "\n"))
	v.AltScreen = true
	return v
}

// translate makes messages of the model of those of the library.
func translate(msg tea.Msg) any {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return Key{Name: msg.String(), Text: msg.Text}
	case tea.PasteMsg:
		return Paste{Text: msg.Content}
	case tea.WindowSizeMsg:
		return Resize{Width: msg.Width, Height: msg.Height}
	}
	return msg
}

// handle names a run for a sentence.
func (m Model) handle(id string) string {
	for _, v := range m.data.runs {
		if v.ID == id {
			return v.Handle
		}
	}
	return id
}
