package confine

import (
	"slices"
	"syscall"
)

// Words for what a host could not enforce.
const (
	Namespaces = "namespaces" // nothing is hidden: there is no user or mount namespace
	Hide       = "hide"       // a path that the plan hides stayed in sight
	ReadOnly   = "read-only"  // a path that the plan makes read-only stayed writable
	Terminals  = "terminals"  // the terminals of other sessions stayed in reach
	Signals    = "signals"    // processes outside can be signalled
	Sockets    = "sockets"    // abstract sockets of others can be reached
	Landlock   = "landlock"   // writes are not restricted by path
	Layers     = "layers"     // a directory cannot be shown with other files in it
	Sealed     = "sealed"     // what a sealed plan keeps as it is can be changed
)

// Gap is something that could not be enforced.
type Gap struct {
	Word string
	Why  string
}

// Plan says what the program of an effect may touch. All paths are absolute and
// free of links; those that do not exist are passed over.
type Plan struct {
	Hide     []string `json:"hide,omitempty"`     // directories are empty and cannot be written; all else is as /dev/null
	Empty    []string `json:"empty,omitempty"`    // directories that are empty and can be written
	Show     []string `json:"show,omitempty"`     // back in their places below those
	ReadOnly []string `json:"readonly,omitempty"` // with all that is mounted below
	Fixed    []string `json:"fixed,omitempty"`    // directories that keep their names: each is a mount point

	// A strict plan restricts writes to Write, and starts nothing where that, or
	// what it hides, cannot be enforced.
	Strict bool     `json:"strict,omitempty"`
	Write  []string `json:"write,omitempty"`

	// A sealed plan mounts everything read-only but Write, Empty and layers, so that
	// the effect leaves nothing behind: no file, mode, time or attribute, and no shared
	// memory. It starts nothing where that cannot be enforced.
	Sealed bool `json:"sealed,omitempty"`

	// With layers nothing is started where they cannot be laid.
	Layers []Layer `json:"layers,omitempty"`
}

// Layer shows a directory with the files of another one laid over it, for the
// effect alone. What the effect writes there goes to Upper. A device 0:0 in Upper
// takes away the file of its name.
type Layer struct {
	Dir   string `json:"dir"`
	Upper string `json:"upper"`
	Work  string `json:"work"` // an empty directory of the same file system as Upper
}

// Lists are all paths of the plan, to be read and replaced.
func (p *Plan) Lists() []*[]string {
	return []*[]string{&p.Hide, &p.Empty, &p.Show, &p.ReadOnly, &p.Fixed, &p.Write}
}

// layered are the texts of the layers, to be read and replaced.
func (p *Plan) layered() []*string {
	var out []*string
	for i := range p.Layers {
		l := &p.Layers[i]
		out = append(out, &l.Dir, &l.Upper, &l.Work)
	}
	return out
}

// Code returns the plan with each of its texts replaced.
func (p Plan) Code(code func(string) string) Plan {
	p.Layers = slices.Clone(p.Layers)
	for _, text := range p.layered() {
		*text = code(*text)
	}
	for _, list := range p.Lists() {
		*list = slices.Clone(*list)
		for i, text := range *list {
			(*list)[i] = code(text)
		}
	}
	return p
}

// needsMounts says that nothing is started without namespaces.
func (p Plan) needsMounts() bool { return p.Strict || p.Sealed || len(p.Layers) > 0 }

// Program is what is started.
type Program struct {
	Exe    string // runs the stages: the own program, or the path of another
	Path   string
	Argv   []string
	Dir    string
	Env    []string
	Marker string    // an assignment that marks the stages as part of the effect
	Files  []uintptr // stdin, stdout, stderr
	// Attributes are those that the program would get unconfined. Only
	// namespaces and their maps are added.
	Attributes *syscall.SysProcAttr
	// Fork is syscall.ForkExec, or what starts a child in its place.
	Fork func(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error)
}

// First arguments with which the supervisor's program is a stage.
const (
	mountsStage  = "confine-mounts"
	programStage = "confine-program"
)

// Own is the path by which a process starts its own program again, also when
// the file has been replaced since.
const Own = "/proc/self/exe"
