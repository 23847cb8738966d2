package workflow

import (
	_ "embed"
	"strings"
)

//go:embed template.yaml
var templateText string

// Template is a workflow to begin with: it can be run as it is, and its comments
// say what else there is.
func Template(name string) []byte { return []byte(strings.ReplaceAll(templateText, "NAME", name)) }
