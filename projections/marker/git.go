package marker

import (
	"slices"
	"strings"
)

// repositoryNames are the variables that point git at a repository: git itself
// keeps them from what it starts in another one. They outrank the directory and
// -C, and git sets them for its own hooks.
//
// Source: session-orchestrator, seeds 6.1, S54: fixtures that inherited them
// rewrote the repository that they were called from.
var repositoryNames = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX",
	"GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE", "GIT_CONFIG",
}

// Repository says whether a variable is one of those that point git at a
// repository.
func Repository(name string) bool { return slices.Contains(repositoryNames, name) }

// WithoutRepository is an environment in which git finds the repository of the
// directory that it is started in.
func WithoutRepository(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return Repository(name)
	})
}
