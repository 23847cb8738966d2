// Package config reads what people write about runs and the daemon: the file of
// a project, the file of a user, and the variables of a caller. It puts them
// into layers and says where each value comes from.
//
// Strongest first: flag, environment, project, user, default. The list of all
// settings is Settings.
//
// Promises:
//   - A file is read strictly: an unknown key, a value of another kind and a
//     value that means nothing are problems with file, line, column and, where
//     there is one, the fix. Nothing is clamped or converted.
//   - All problems of a file are reported at once, and nothing is taken from a
//     file that has one.
//   - Reading a file costs bounded memory, and never waits: what is no regular
//     file is refused.
//   - An edit keeps all that it does not change, comments too; what comes of it
//     is checked before it replaces the file, in one step.
//
// It does not decide whether a project's file is trusted, and starts nothing.
package config
