package auth

import (
	"github.com/go-json-experiment/json"

	"autopilot/events/wire"
)

// May reports whether a caller may use a verb: everyone reads, an effect does nothing
// else, and a key does what it is given for, of the verbs that are served to other hosts.
func May(id Identity, v wire.Spec) bool {
	if id.Kind == KindKey {
		return v.Has(wire.Remote) && (v.Class == wire.Read || v.Class == wire.Operate && id.May == wire.Operate)
	}
	return v.Class == wire.Read || id.Kind == KindLocal
}

// Permit refuses a request that its caller may not make. Every endpoint calls it, so that
// no door can leave it out. A key names no directory, whatever the verb: one that learned
// which there are could look through the host.
func Permit(id Identity, v wire.Spec, body []byte) error {
	if !May(id, v) {
		return Refuse(id, v)
	}
	var of struct {
		Workspace string `json:"workspace"`
	}
	if id.Kind == KindKey && json.Unmarshal(body, &of) == nil && of.Workspace != "" { // the handler refuses what is no JSON
		return wire.Errorf(wire.Denied, "%s: a directory can be named on the daemon's host only", v.Name).WithHint("name a run, by id or handle")
	}
	return nil
}

// Refuse says why a caller may not use a verb.
func Refuse(id Identity, v wire.Spec) error {
	switch {
	case id.Kind != KindKey:
		return wire.Errorf(wire.Denied, "%s is not allowed for a program that autopilot started (%s)", v.Name, id.Effect)
	case v.Class == wire.Decide:
		return wire.Errorf(wire.Denied, "%s needs a person at a terminal of the daemon's host", v.Name).
			WithHint("use apctl at a terminal of the daemon's host")
	case !v.Has(wire.Remote):
		return wire.Errorf(wire.Denied, "%s works on the daemon's host only", v.Name).
			WithHint("use apctl there")
	}
	return wire.Errorf(wire.Denied, "%s may only read, and %s needs operate", id.Key, v.Name).
		WithHint("set bus.identities.%s.may: operate   in the configuration of the daemon's user", id.Key)
}
