// Command apman writes what is installed beside apctl: a manual page for each
// command, and completions for bash, zsh and fish. Everything follows from the
// commands themselves, so it cannot lag behind them.
//
//	apman [-version V] [-date 2026-01-02] DIR
//
// It writes DIR/man1/*.1 and DIR/completions/apctl.bash, _apctl and apctl.fish.
// The same commands and flags give the same bytes.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"autopilot/ctl"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "apman:", err)
		}
		os.Exit(2)
	}
}

func run(args []string) error {
	f := flag.NewFlagSet("apman", flag.ContinueOnError)
	version := f.String("version", "dev", "shown at the foot of each page")
	date := f.String("date", "", "of the pages, as 2026-01-02; empty shows none")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return errors.New("usage: apman [-version V] [-date DATE] DIR")
	}
	root := ctl.Commands(ctl.World{Version: *version})
	if err := manuals(root, filepath.Join(f.Arg(0), "man1"), *version, *date); err != nil {
		return fmt.Errorf("write manual pages: %w", err)
	}
	if err := completions(root, filepath.Join(f.Arg(0), "completions")); err != nil {
		return fmt.Errorf("write completions: %w", err)
	}
	return nil
}

func manuals(root *cobra.Command, dir, version, date string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	h := &doc.GenManHeader{Section: "1", Source: "autopilot " + version, Manual: "autopilot"}
	if date != "" {
		t, err := time.Parse(time.DateOnly, date)
		if err != nil {
			return err
		}
		h.Date = &t
	}
	root.DisableAutoGenTag = true
	return manual(root, *h, dir)
}

// manual writes the page of a command, and those of the commands below it.
func manual(cmd *cobra.Command, h doc.GenManHeader, dir string) error {
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := manual(c, h, dir); err != nil {
			return err
		}
	}
	var page bytes.Buffer
	if err := doc.GenMan(cmd, &h, &page); err != nil {
		return err
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + "." + h.Section
	return os.WriteFile(filepath.Join(dir, name), withFlags(page.Bytes(), cmd), 0o644)
}

func completions(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(dir, "apctl.bash"), true),
		root.GenZshCompletionFile(filepath.Join(dir, "_apctl")),
		root.GenFishCompletionFile(filepath.Join(dir, "apctl.fish"), true),
	)
}
