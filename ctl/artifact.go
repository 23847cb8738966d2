package ctl

import (
	"path"
	"slices"
	"strings"

	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/wire"
)

// addArtifacts reads --artifact behind the other gates. The files of one name
// are one gate. Without NAME= a gate gets the name of its file.
func addArtifacts(specs []wire.GateSpec, values []string, taken map[string]bool) ([]wire.GateSpec, error) {
	for _, v := range values {
		name, glob, err := splitArtifact(v)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(specs, func(g wire.GateSpec) bool { return name != "" && string(g.Name) == name })
		switch {
		case i >= 0 && specs[i].Kind == events.GateArtifact:
			specs[i].Files = append(specs[i].Files, glob)
			continue
		case taken[name]:
			return nil, render.GateTwice(name)
		case name == "":
			base := path.Base(path.Clean("/" + glob))
			name = free(deriveName(strings.TrimSuffix(base, path.Ext(base))), taken)
		}
		taken[name] = true
		specs = append(specs, wire.GateSpec{
			Name: events.Name(name), Kind: events.GateArtifact, Role: events.RoleGoal, Files: []string{glob},
		})
	}
	return specs, nil
}

// splitArtifact divides NAME=GLOB. What stands before the first = is a name only
// if it is one word.
func splitArtifact(v string) (name, glob string, err error) {
	if err := checkText("the glob of --artifact", v); err != nil {
		return "", "", err
	}
	before, after, found := strings.Cut(v, "=")
	if !found || !isWord(before) {
		before, after = "", v
	}
	switch {
	case strings.TrimSpace(after) == "" || found && before == "" && strings.HasPrefix(v, "="):
		return "", "", render.ArtifactEmpty(v)
	case before != "" && !events.Name(before).Valid():
		return "", "", render.GateName(before, deriveName(before))
	}
	return before, after, nil
}
