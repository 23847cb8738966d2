// Command apctl is the command line of autopilot. It only wires the process
// to package ctl.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/term"

	"autopilot/ctl"
	"autopilot/ctl/client"
)

// version is set by the linker.
var version = "dev"

func main() {
	dir, err := os.Getwd()
	if err != nil {
		dir = os.Getenv("PWD") // deleted under us; commands that need it say so
	}
	var warn io.Writer = os.Stderr
	if ctl.Quiet(os.Args[1:]) {
		warn = io.Discard
	}
	os.Exit(ctl.Main(context.Background(), ctl.World{
		Args:       os.Args[1:],
		Environ:    os.Environ(),
		Dir:        dir,
		Version:    version,
		In:         os.Stdin,
		InIsTTY:    term.IsTerminal(int(os.Stdin.Fd())),
		Out:        output(os.Stdout),
		Err:        output(os.Stderr),
		Now:        time.Now,
		Zone:       time.Local,
		Notify:     notify,
		Connect:    ctl.Connector(version, warn),
		Program:    ctl.Program,
		FindPlaces: ctl.FindPlaces,
		Examine:    client.Examine,
		Holder:     client.Holder,
		Alive:      ctl.ProcessRuns,
		Terminal:   ctl.OpenTerminal,
	}))
}

func output(f *os.File) ctl.Output {
	o := ctl.Output{Writer: f, File: ctl.RegularFile(f)}
	if fd := int(f.Fd()); term.IsTerminal(fd) {
		o.Columns = func() int {
			w, _, err := term.GetSize(fd)
			if err != nil || w <= 0 {
				return 80
			}
			return w
		}
	}
	return o
}

func notify(c chan<- os.Signal) func() {
	signal.Notify(c, ctl.Interrupts()...)
	return func() { signal.Stop(c) }
}
