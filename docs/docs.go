// Package docs holds what of the documentation a program prints itself: text that
// is the same on every host, so that nothing has to be started for it.
package docs

import _ "embed"

//go:embed workflow.schema.json
var workflowSchema []byte

// WorkflowSchema is the JSON schema of workflow files, indented, with a line end. A
// test at the root of the module keeps it as daemon/run/workflow says it.
func WorkflowSchema() []byte { return workflowSchema }
