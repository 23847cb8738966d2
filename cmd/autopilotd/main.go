// Command autopilotd is the daemon. People do not start it by hand: apctl does
// when it is needed.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"autopilot/daemon"
	"autopilot/daemon/agent"
	"autopilot/daemon/api"
	"autopilot/daemon/history/offline"
)

// version is set by the build.
var version = "dev"

const usage = `autopilotd is the autopilot daemon. apctl starts it when it is needed.

usage:
  autopilotd [serve] [--durability power|process] [--quota 4GiB] [--idle 30m]
  autopilotd verify --offline [--reseal] [--state DIR]
                                              prove a store that no daemon has open; --reseal takes its
                                              events as they are where its mark or seals are lost
  autopilotd export --offline -o FILE [-y] [--no-texts] [--state DIR] [RUN...]
                                              write the history of a store that no daemon has open
  autopilotd doctor --offline [-C DIR]        look for what could go wrong, as JSON
  autopilotd holder [--end]                   name the process that holds the state directory, as JSON;
                                              --end kills it
  autopilotd version
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	verb := "serve"
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		verb, args = args[0], args[1:]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch verb {
	case "serve":
		return daemon.Main(ctx, version, args, stderr)
	case "verify":
		return offline.VerifyMain(ctx, args, stdout, stderr)
	case "export":
		return offline.ExportMain(ctx, version, args, stdout, stderr)
	case "doctor":
		return api.DoctorMain(ctx, args, stdout, stderr)
	case "holder":
		return offline.HolderMain(ctx, args, stdout, stderr)
	case "script-agent":
		if len(args) != 1 {
			break
		}
		dir, err := os.Getwd()
		if err != nil {
			fmt.Fprintln(stderr, "autopilotd: find the working directory:", err)
			return 1
		}
		return agent.RunScriptFile(ctx, args[0], os.Environ(), dir, stdout, stderr)
	case "version":
		fmt.Fprintln(stdout, "autopilotd", version)
		return 0
	case "help":
		fmt.Fprint(stdout, usage)
		return 0
	}
	fmt.Fprint(stderr, usage)
	return 2
}
