package config_test

import "testing"

// TestS16OfTwoFilesTheLowerBoundCounts: and the larger need, whichever file it is in.
func TestS16OfTwoFilesTheLowerBoundCounts(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for _, tt := range []struct {
		name, project, user string
		agents              int
		ram                 int64
	}{
		{"nothing is said", "", "", 0, gib},
		{"a project lowers", "resources: {project: {agents: 4}}\n", "resources: {project: {agents: 9}}\n", 4, gib},
		{"and raises nothing", "resources: {project: {agents: 9}}\n", "resources: {project: {agents: 4}}\n", 4, gib},
		{"a project alone", "resources: {project: {agents: 1}}\n", "", 1, gib},
		{"a user alone", "", "resources: {project: {agents: 3}}\n", 3, gib},
		{"agents that need little", "", "resources: {ram_per_agent: 256MiB}\n", 0, gib / 4},
		{"but much in this project", "resources: {ram_per_agent: 6GiB}\n", "resources: {ram_per_agent: 256MiB}\n", 0, 6 * gib},
		{"nor with the default", "resources: {ram_per_agent: 1MiB}\n", "", 0, gib},
		{"a project makes no room", "resources: {ram_per_agent: 1MiB}\n", "resources: {ram_per_agent: 2GiB}\n", 0, 2 * gib},
	} {
		if b := layers(tt.project, tt.user, nil).Bounds(); b.Agents != tt.agents || b.RAM != tt.ram {
			t.Errorf("%s: %+v", tt.name, b)
		}
	}
}
