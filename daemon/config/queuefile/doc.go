// Package queuefile reads the files that a queue is filled from: YAML or JSON with items and
// what they have in common, or the task list of a Markdown file, whose items it can tick off.
// It reads texts and writes none.
package queuefile
