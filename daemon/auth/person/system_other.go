//go:build !linux

package person

// System is a table that shows too little: macOS hides environments, and has
// neither namespaces nor a descriptor for a process. Decisions need another
// assurance than a terminal there.
func System() Table { return system{} }

type system struct{}

func (system) Process(int) (Process, error) { return Process{}, ErrUnsupported }

func (system) Namespaces(int) (Namespaces, error) { return Namespaces{}, ErrUnsupported }
