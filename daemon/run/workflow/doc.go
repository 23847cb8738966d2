// Package workflow holds workflows as data: the schema of their YAML files, its
// checks, the workflows that ship with the daemon, and the prompt templates
// that their phases name.
//
// Promises:
//   - Parse is strict. An unknown key, a value out of bounds or a second
//     document is an error that names line, column and the fix.
//   - What a file leaves out has the value that the shipped converge.yaml
//     gives, so a short workflow is as well guarded as that one.
//   - A Prompt that was parsed can be rendered: it was tried on every part of
//     PromptData before.
//
// It never decides anything about a run, reads no files outside of the binary
// and no clock. Values are plain data and safe to share once made.
package workflow
