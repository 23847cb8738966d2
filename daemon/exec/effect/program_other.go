//go:build !linux

package effect

// program is the path of the supervisor's program: no system but Linux starts a program by
// its descriptor.
type program struct{ path string }

func hold(path string) (program, error) { return program{path}, nil }

func (p program) exe() string { return p.path }

func (p program) close() error { return nil }
