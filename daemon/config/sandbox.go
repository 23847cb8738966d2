package config

import (
	"runtime"
	"slices"
	"strings"

	"autopilot/daemon/exec/sandbox"
	"autopilot/events"
	"autopilot/events/wire"
)

// DefaultSandbox is the mode without a setting.
func DefaultSandbox() events.Sandbox {
	if runtime.GOOS != "linux" {
		return events.SandboxOff
	}
	return events.SandboxGuard
}

func weaker(a, b events.Sandbox) bool {
	all := events.Sandboxes()
	return slices.Index(all, a) < slices.Index(all, b)
}

// Sandbox is what the files ask for. The project's can only ask for more than
// the user's, as it comes with the code that is confined; what it allows counts
// like the rest of it, once a person has trusted it. The error is a *wire.Error.
func (l Layers) Sandbox() (events.Sandbox, []string, error) {
	mode, allow := DefaultSandbox(), []string(nil)
	if l.User != nil {
		if l.User.Sandbox.Mode != "" {
			mode = l.User.Sandbox.Mode
		}
		allow = slices.Clone(l.User.Sandbox.Allow)
	}
	if l.Project == nil {
		return mode, allow, nil
	}
	p := l.Project.Sandbox
	if p.Mode != "" && weaker(p.Mode, mode) {
		return mode, allow, wire.Errorf(wire.Usage, "sandbox: the project asks for %s, which is less than your %s", p.Mode, mode).
			WithHint("take it out of %s: a project can only ask for more\n--sandbox %s   is yours to give", l.Project.Path, p.Mode)
	}
	if p.Mode != "" {
		mode = p.Mode
	}
	for _, entry := range p.Allow {
		if !slices.Contains(allow, entry) {
			allow = append(allow, entry)
		}
	}
	return mode, allow, nil
}

// sandbox fixes what the effects of the run may touch.
func (a *application) sandbox() error {
	spec := &a.out.Order.Spec
	if spec.Sandbox != "" {
		l := a.layers
		l.Project = nil // its mode is not asked about
		_, spec.SandboxAllow, _ = l.Sandbox()
		if p := a.layers.Project; p != nil {
			spec.SandboxAllow = append(spec.SandboxAllow, p.Sandbox.Allow...)
		}
		return nil
	}
	var err error
	if spec.Sandbox, spec.SandboxAllow, err = a.layers.Sandbox(); err != nil {
		return err
	}
	a.use("sandbox")
	return nil
}

// sandbox judges the setting.
func (f *faults) sandbox(s Sandbox) {
	if s.Mode != "" || s.Allow == nil {
		var known []string
		for _, mode := range events.Sandboxes() {
			known = append(known, string(mode))
		}
		f.word("sandbox", string(s.Mode), known...)
	}
	for _, entry := range s.Allow {
		if _, ok := sandbox.Path(entry, "/"); ok || slices.Contains(sandbox.Words(), entry) {
			continue
		}
		f.add("sandbox.allow", "write an absolute path, ~/PATH, or one of "+strings.Join(sandbox.Words(), ", "), "%q is neither a path nor known", entry)
	}
}
