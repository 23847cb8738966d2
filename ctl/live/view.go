package live

import (
	"fmt"
	"strings"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// The least screen that is laid out; a smaller one shows one line.
const (
	leastWidth  = 24
	leastHeight = 5
)

// View is the screen, at most as many lines as it is high, none wider than it.
func (m Model) View() []string {
	if m.box.width <= 0 || m.box.height <= 0 {
		return nil
	}
	if m.box.width < leastWidth || m.box.height < leastHeight {
		return []string{m.oneLine()}
	}
	body := m.body(m.box.height - 2)
	for len(body) < m.box.height-2 {
		body = append(body, "")
	}
	return append(append([]string{m.header()}, body...), m.footer())
}

// at is the style for now; what is stale is as old as its data.
func (m Model) at() render.Style {
	s := m.style
	s.Now, s.Width = m.now, m.box.width
	if m.data.lost && !m.data.at.IsZero() {
		s.Now = m.data.at
	}
	return s
}

func (m Model) oneLine() string {
	v, ok := m.current()
	if !ok {
		return m.at().Clip("no run", m.box.width)
	}
	s := m.at()
	s.Width++ // Live leaves a cell free for the cursor, and here is none
	return s.Live(v)
}

func (m Model) header() string {
	s := m.at()
	live, person := 0, 0
	for _, v := range m.data.runs {
		if v.Exit < 0 {
			live++
		}
		if render.NeedsPerson(v) {
			person++
		}
	}
	left := s.Bold("apctl") + fmt.Sprintf("  %d live", live)
	if person > 0 {
		left += ", " + s.Warn(fmt.Sprintf("%d needs you", person))
		if person > 1 {
			left = strings.Replace(left, "needs you", "need you", 1)
		}
	}
	if m.look.problems {
		left += ", only what needs you"
	}
	return s.Between(left, m.age(), m.box.width)
}

// age is the time, or how old the data is.
func (m Model) age() string {
	s := m.at()
	switch {
	case m.data.lost && !m.data.started:
		return s.Warn("no daemon answers")
	case m.data.lost:
		return s.Warn("no daemon, as of " + s.Second(m.data.at))
	case !m.data.started:
		return "asking the daemon"
	}
	return s.Dim(s.Second(m.now))
}

func (m Model) footer() string {
	s := m.at()
	if m.look.typing {
		return s.Clip("search: "+m.look.query+s.Cursor(), m.box.width)
	}
	left := s.Dim("? keys  q leave")
	switch {
	case m.look.asks != "":
		left = s.Warn("stop " + m.name() + " after this iteration? y/n")
	case m.look.notice != "":
		left = render.Line(m.look.notice)
	case m.look.query != "":
		left = "search: " + m.look.query + s.Dim("  esc drops it")
	}
	return s.Between(left, s.Dim("= "+m.command()), m.box.width)
}

func (m Model) body(height int) []string {
	switch m.look.page {
	case pageKeys:
		return m.scrolled(m.keysPage(), height)
	case pageWhy:
		return m.scrolled(m.whyPage(), height)
	case pageLog:
		return m.logPage(height)
	case pageRuns:
	}
	return m.runsPage(height)
}

// scrolls is how far the present page can be scrolled.
func (m Model) scrolls() int {
	n := 0
	switch m.look.page {
	case pageKeys:
		n = len(m.keysPage())
	case pageWhy:
		n = len(m.whyPage())
	case pageLog:
		n = len(m.logLines()) + 1
	case pageRuns:
	}
	return max(0, n-(m.box.height-2))
}

func (m Model) scrolled(lines []string, height int) []string {
	lines = lines[min(m.look.up, max(0, len(lines)-height)):]
	return lines[:min(height, len(lines))]
}

func (m Model) keysPage() []string {
	s := m.at()
	var out []string
	for _, b := range bindings(m.name()) {
		if m.box.width < 72 {
			out = append(out, s.Clip(fmt.Sprintf(" %-13s %s", b.keys, b.does), m.box.width), s.Clip("   "+s.Dim("= "+b.command), m.box.width))
			continue
		}
		out = append(out, s.Clip(fmt.Sprintf(" %-14s %-40s %s", b.keys, b.does, s.Dim("= "+b.command)), m.box.width))
	}
	return out
}

func (m Model) whyPage() []string {
	w, ok := m.explained()
	if !ok {
		return m.empty()
	}
	s := m.at()
	var out []string
	for l := range strings.Lines(s.Why(w)) {
		out = append(out, s.Clip(untab(strings.TrimRight(l, "\n")), m.box.width))
	}
	return out
}

// explained is what is known of the selected run; its latest state wins over
// an explanation that is still on its way.
func (m Model) explained() (wire.WhyView, bool) {
	v, ok := m.current()
	if !ok {
		return wire.WhyView{}, false
	}
	w := m.data.why
	if w.Run.ID != v.ID {
		w = wire.WhyView{}
	}
	if w.Run.Seq < v.Seq && w.Run.State != v.State {
		w.Because, w.Next = "", nil
	}
	w.Run = v
	return w, true
}

func (m Model) logPage(height int) []string {
	s := m.at()
	title := m.name() + " log"
	if m.look.up > 0 {
		title += fmt.Sprintf(", %d lines further down", m.look.up)
	}
	out := []string{s.Rule(title, m.box.width)}
	return append(out, m.tail(m.look.up, height-1)...)
}

func (m Model) logLines() []string {
	if m.data.logOf != m.look.selected {
		return nil
	}
	return m.data.log
}

// tail is the end of the log, less the lines that are scrolled away.
func (m Model) tail(up, height int) []string {
	lines := m.logLines()
	end := max(0, len(lines)-up)
	var out []string
	for _, l := range lines[max(0, end-height):end] {
		out = append(out, m.at().Clip(l, m.box.width))
	}
	return out
}

// runsPage shares the screen out: the list takes what it needs up to two
// fifths, then the details, then the log.
func (m Model) runsPage(height int) []string {
	runs := m.shown()
	if len(runs) == 0 {
		return m.empty()
	}
	s := m.at()
	most := max(3, height*2/5)
	if height < 8 {
		most = max(1, height/2)
	}
	out := m.rows(runs, min(most, len(runs)))
	w, ok := m.explained()
	if !ok || height-len(out) < 2 {
		return out
	}
	panel := s.Panel(w, m.box.width)
	room := height - len(out) - 1
	if room >= 9 {
		room -= max(4, min(room-len(panel), room*2/5)) // at least so much for the log
	}
	title := render.Line(w.Run.Handle)
	out = append(out, s.Rule(title, m.box.width))
	out = append(out, panel[:min(room, len(panel))]...)
	if left := height - len(out) - 1; left >= 2 {
		out = append(append(out, s.Rule("log", m.box.width)), m.tail(0, left)...)
	}
	return out
}

// rows are n lines of the list, the selected one among them.
func (m Model) rows(runs []wire.RunView, n int) []string {
	s := m.at()
	chosen := max(0, m.index(runs))
	first := max(0, min(chosen-n/2, len(runs)-n))
	aged := make([]wire.RunView, 0, n)
	for _, v := range runs[first : first+n] {
		aged = append(aged, m.aged(v))
	}
	var out []string
	for i, l := range s.Runs(aged, m.box.width-2) {
		line := "  " + s.Tint(aged[i], l)
		if first+i == chosen {
			line = s.Bold(s.Pointer() + " " + l)
		}
		out = append(out, line)
	}
	if hidden := len(runs) - first - n; hidden > 0 && n > 2 {
		out[n-1] = s.Dim(fmt.Sprintf("  %d more below", hidden+1))
	}
	return out
}

func (m Model) empty() []string {
	s := m.at()
	text := "no runs yet: apctl run --help"
	switch {
	case !m.data.started:
		text = ""
	case m.look.query != "":
		text = "no run matches; esc drops the search"
	case m.look.problems:
		text = "nothing needs you; esc shows all"
	}
	return []string{"", s.Clip("  "+text, m.box.width)}
}
