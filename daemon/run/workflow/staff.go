package workflow

import "slices"

// Staffed is the workflow with the profiles that settings name for roles for which it
// names nobody. Of a role that only looks the first one looks, as nobody takes over
// from it. Names of roles that it does not have are those of other workflows.
func (w Workflow) Staffed(by map[string][]string) Workflow {
	if len(by) == 0 {
		return w
	}
	w.Roles = slices.Clone(w.Roles)
	for i, e := range w.Roles {
		names := by[e.Key]
		if len(e.Value.Agents) > 0 || len(names) == 0 {
			continue
		}
		if !slices.ContainsFunc(w.Phases, func(ph Phase) bool { return ph.Role == e.Key }) {
			names = names[:1]
		}
		w.Roles[i].Value.Agents = slices.Clone(names)
	}
	return w
}
