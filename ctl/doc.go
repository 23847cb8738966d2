// Package ctl is the command line of autopilot: one file for each command,
// each an options struct and a function that runs it.
//
// It knows the daemon only as a Daemon, and the world only as a World, so a
// test can stand in for both. It decides nothing about runs: it checks what a
// person typed, asks, and shows. It keeps no state on disk; the files that it
// writes are what was asked for: a configuration, the unit of a service, and with
// the user's own git a work tree.
//
// It promises: stdout is the answer and stderr all else; with --json both are
// JSON; the exit code is one of the table in exit.go; only commands that need
// what the daemon holds start one, and nothing does inside an effect. A person is
// asked at a terminal and never elsewhere, by init, restore, what needs trust, and
// watch before it stops a run.
package ctl
