// Package confine starts the program of an effect where it can neither see nor
// signal what is not its own.
//
// It owns the mechanics, not the choice of paths: a Plan names what is hidden,
// shown again, read-only and writable, and package daemon/exec/sandbox makes plans.
//
// How a program is started, on Linux:
//
//	supervisor   asks for the first stage, in a user and a mount namespace of its own
//	Mounts       covers what the plan hides, then starts the second stage in a
//	             further user namespace, as a child of the supervisor, and ends
//	Program      gives up signals, sockets and, if the plan says so, writes to
//	             Landlock, and becomes the program
//
// Promises:
//   - The program is a direct child of the supervisor, in a process group of its
//     own, and dies with it. Between the two nothing stays.
//   - Nothing that is covered can be uncovered from inside: the mounts belong to
//     a user namespace that no process of the effect is in. Processes outside
//     can be neither traced nor looked into, as they are in an outer one.
//   - uid and gid are the same inside as outside, and namespaces can be nested
//     further.
//   - What could not be enforced is returned by its word. A strict plan starts
//     nothing unless all that it needs is there.
//   - An error of the start is as clear as without confinement.
//
// It is part of the supervisor, so it imports the standard library and
// golang.org/x/sys only. Elsewhere than on Linux it enforces nothing and says so.
package confine
