package live

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// Model is the screen as data. The zero value shows nothing yet.
type Model struct {
	style render.Style // Now and Width are set anew for each view
	now   time.Time
	box   box
	data  data
	look  look
}

type box struct{ width, height int }

// data is what the daemon has said.
type data struct {
	dir     string // of the caller
	here    string // workspace of the caller's latest run
	runs    []wire.RunView
	more    int
	at      time.Time // of runs
	lost    bool      // the daemon does not answer since
	why     wire.WhyView
	logOf   string // id of the run that log is of
	log     []string
	started bool // a list has come
}

// look is what a person looks at.
type look struct {
	selected string // id of a run
	page     page
	problems bool // only what needs a person
	query    string
	typing   bool   // keys go to the query
	from     string // id of the run that was selected when the search began
	asks     string // id of the run that is stopped on y
	notice   string
	up       int // lines scrolled away from the end of a log, or the start of other pages
}

// page is what fills the screen.
type page int

const (
	pageRuns page = iota
	pageWhy
	pageLog
	pageKeys
)

// New is a screen that opens on a run, or with an empty id on the first.
func New(style render.Style, dir, here, run string) Model {
	return Model{
		style: style, now: style.Now,
		data: data{dir: dir, here: here},
		look: look{selected: run},
	}
}

// The messages. Keys come by their name: "q", "up", "ctrl+c".
type (
	// Key is a key that was pressed; Text is what it types, if it types.
	Key struct{ Name, Text string }
	// Paste is text from a clipboard.
	Paste struct{ Text string }
	// Resize is the size of the terminal.
	Resize struct{ Width, Height int }
	// Tick is the time.
	Tick struct{ Now time.Time }
	// List is what the daemon knows.
	List struct {
		Reply wire.ListReply
		At    time.Time
	}
	// Why explains a run.
	Why struct{ View wire.WhyView }
	// Log is the tail of what a run printed, in clean lines.
	Log struct {
		Run   string
		Lines []string
	}
	// Lost says that the daemon is gone.
	Lost struct{}
	// Notice is a sentence about what was done.
	Notice struct{ Text string }
)

// Want is what the model wants done.
type Want struct {
	Leave       bool
	Interrupted bool   // with Leave: by Ctrl-C
	Suspend     bool   // to the shell, as Ctrl-Z does
	Stop        string // id of a run
}

// Selected is the id of the run to follow, and the sequence up to which it is
// known.
func (m Model) Selected() (id string, seq uint64) {
	for _, v := range m.data.runs {
		if v.ID == m.look.selected {
			return v.ID, v.Seq
		}
	}
	return m.look.selected, 0
}

// shown is the list as it is filtered and ordered.
func (m Model) shown() []wire.RunView {
	var out []wire.RunView
	for _, v := range m.data.runs {
		if m.look.problems && !render.NeedsPerson(v) || !matches(v, m.look.query) {
			continue
		}
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b wire.RunView) int {
		return cmp.Or(
			rank(!m.isHere(a))-rank(!m.isHere(b)),
			class(a)-class(b),
			b.Started.Compare(a.Started),
		)
	})
	return out
}

func rank(late bool) int {
	if late {
		return 1
	}
	return 0
}

// isHere says that a run belongs to the directory of the caller.
func (m Model) isHere(v wire.RunView) bool {
	ws := strings.TrimSuffix(v.Workspace, "/")
	return v.Workspace != "" && (v.Workspace == m.data.here || m.data.dir == ws || strings.HasPrefix(m.data.dir, ws+"/"))
}

// class orders runs: what needs a person, what goes on, what was stopped, the
// rest.
func class(v wire.RunView) int {
	switch {
	case render.NeedsPerson(v):
		return 0
	case v.Exit < 0:
		return 1
	case v.State == "halted":
		return 2
	}
	return 3
}

// matches looks for each word of a query in what a line or its details show.
func matches(v wire.RunView, query string) bool {
	text := strings.ToLower(strings.Join([]string{v.Handle, v.State, v.Reason, v.Stage, v.Phase, v.Task, v.Workspace, v.Branch, v.Agent}, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// current is the selected run, if there is one in the list as it is shown.
func (m Model) current() (wire.RunView, bool) {
	runs := m.shown()
	i := m.index(runs)
	if i < 0 {
		return wire.RunView{}, false
	}
	return m.aged(runs[i]), true
}

func (m Model) index(runs []wire.RunView) int {
	return slices.IndexFunc(runs, func(v wire.RunView) bool { return v.ID == m.look.selected })
}

// aged counts the activity of a run on to now. What is stale stands still.
func (m Model) aged(v wire.RunView) wire.RunView {
	if v.State == "running" && !m.data.lost && !m.data.at.IsZero() {
		v.ActiveMS += max(0, m.now.Sub(m.data.at).Milliseconds())
	}
	return v
}
