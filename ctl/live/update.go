package live

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"autopilot/ctl/render"
)

// Update is the model after a message, and what it wants done now. It ignores
// messages that it does not know.
func (m Model) Update(msg any) (Model, Want) {
	switch msg := msg.(type) {
	case Key:
		return m.key(msg)
	case Paste:
		if m.look.typing {
			m.typed(msg.Text)
		}
	case Resize:
		m.box = box{width: max(0, msg.Width), height: max(0, msg.Height)}
	case Tick:
		m.now = msg.Now
	case List:
		m.list(msg)
	case Why:
		m.data.why = msg.View
	case Log:
		m.data.logOf, m.data.log = msg.Run, msg.Lines
	case Lost:
		m.data.lost = true
	case Notice:
		m.look.notice = msg.Text
	}
	return m, Want{}
}

func (m *Model) list(l List) {
	if m.data.lost && m.data.started {
		m.look.notice = "the daemon is back"
	}
	before := m.shown()
	i := m.index(before)
	m.data.runs, m.data.more, m.data.at = l.Reply.Runs, l.Reply.More, l.At
	m.data.lost, m.data.started = false, true
	m.settle(i)
}

// settle selects a run that is in the list, the nearest to the place i.
func (m *Model) settle(i int) {
	runs := m.shown()
	if len(runs) == 0 || m.index(runs) >= 0 {
		return
	}
	m.choose(max(0, min(i, len(runs)-1)))
}

func (m *Model) choose(i int) {
	m.look.selected, m.look.up = m.shown()[i].ID, 0
}

// key is a key that was pressed. While something is typed or asked for, no
// other key means anything.
func (m Model) key(k Key) (Model, Want) {
	if k.Name == "ctrl+c" {
		return m, Want{Leave: true, Interrupted: true}
	}
	if k.Name == "ctrl+z" {
		return m, Want{Suspend: true}
	}
	switch {
	case m.look.typing:
		m.search(k)
		return m, Want{}
	case m.look.asks != "":
		run := m.look.asks
		m.look.asks = ""
		if k.Name == "y" {
			return m, Want{Stop: run}
		}
		m.look.notice = "not stopped"
		return m, Want{}
	}
	m.look.notice = ""
	if k.Name == "q" {
		return m, Want{Leave: true}
	}
	m.press(k.Name)
	return m, Want{}
}

// press is a key that changes what is looked at.
func (m *Model) press(name string) {
	switch name {
	case "/":
		m.look.typing, m.look.page, m.look.from = true, pageRuns, m.look.selected
	case "?":
		m.turn(pageKeys)
	case "enter", "w":
		m.turn(pageWhy)
	case "l":
		m.turn(pageLog)
	case "!":
		m.look.problems, m.look.page, m.look.up = !m.look.problems, pageRuns, 0
		m.settle(0)
	case "esc":
		m.back()
	case "s":
		m.askStop()
	default:
		m.move(name)
	}
}

// turn opens a page, or goes back from it.
func (m *Model) turn(to page) {
	if m.look.page == to {
		to = pageRuns
	}
	m.look.page, m.look.up = to, 0
}

// back undoes the last narrowing.
func (m *Model) back() {
	switch {
	case m.look.page != pageRuns:
		m.turn(pageRuns)
	case m.look.query != "":
		m.look.query = ""
	default:
		m.look.problems = false
	}
	m.settle(0)
}

func (m *Model) askStop() {
	switch v, ok := m.current(); {
	case !ok:
		m.look.notice = "no run is selected"
	case v.Exit >= 0:
		m.look.notice = render.Line(v.Handle) + " does not run"
	default:
		m.look.asks = v.ID
	}
}

// search is a key while a query is typed.
func (m *Model) search(k Key) {
	switch k.Name {
	case "enter":
		m.look.typing = false
	case "esc":
		m.look.typing, m.look.query = false, ""
		m.settle(0) // on what was found
		return
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(m.look.query)
		m.look.query = m.look.query[:len(m.look.query)-n]
	case "ctrl+u":
		m.look.query = ""
	default:
		m.typed(k.Text)
		return
	}
	m.found()
}

// found selects the run that the search began at, where the query does not leave it out,
// else the first that it finds. A search that finds nothing keeps that run.
func (m *Model) found() {
	if m.data.started && m.look.from != "" {
		m.look.selected = m.look.from
	}
	m.settle(0)
}

// maxQuery is the longest query, in bytes.
const maxQuery = 200

func (m *Model) typed(text string) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text)
	text = m.look.query + strings.Trim(render.Clean(text), "\n")
	if len(text) <= maxQuery {
		m.look.query = text
	}
	m.found()
}

// move goes through the list, or through a page.
func (m *Model) move(name string) {
	by := 0
	switch name {
	case "up", "k":
		by = -1
	case "down", "j":
		by = 1
	case "pgup", "b":
		by = -m.pageful()
	case "pgdown", "space":
		by = m.pageful()
	case "home", "g":
		by = -farther
	case "end", "G":
		by = farther
	default:
		return
	}
	if m.look.page == pageRuns {
		m.walk(by)
		return
	}
	if m.look.page == pageLog {
		by = -by
	}
	m.look.up = max(0, min(m.look.up+by, m.scrolls()))
}

// farther than any list or page is long.
const farther = 1 << 20

func (m *Model) walk(by int) {
	runs := m.shown()
	if len(runs) > 0 {
		m.choose(max(0, min(m.index(runs)+by, len(runs)-1)))
	}
}

func (m Model) pageful() int { return max(1, m.box.height-4) }
