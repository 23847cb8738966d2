// Package library finds workflows by name, with the prompts that they name: those
// of a project in .autopilot/workflows/NAME.yaml and .autopilot/prompts/FILE.md,
// and those that ship. Of a name that both have it is the project's, and that is
// told.
//
// Promises:
//   - The files of a project are read once. What is found, checked and agreed to
//     afterwards are those bytes.
//   - Content is one text for all that a person agrees to: two sets of files have
//     the same only if they are the same. A configuration alone is its own content.
//   - Reading costs bounded memory and never waits: what is no regular file is a
//     problem of whoever names it.
//
// It does not decide whether anything is trusted, and writes nothing.
package library
