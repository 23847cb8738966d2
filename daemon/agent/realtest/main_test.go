package realtest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	table := flag.Bool("agents.real", false, "install the real programs, play all cases and print the table")
	only := flag.String("agents.only", "", "play these `cases` only, with commas: PROGRAM or PROGRAM/CASE")
	save := flag.String("agents.save", "", "keep what each program printed in this `folder`")
	flag.Parse()
	if !*table {
		goleak.VerifyTestMain(m)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	differ, err := real(ctx, choice(*only), *save)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "agents-real:", err)
		os.Exit(1)
	case differ > 0:
		fmt.Printf("%d rows are not as expected\n", differ)
		os.Exit(1)
	}
}

// choice says which cases are to be played; an empty one is all.
type choice string

func (c choice) has(program, name string) bool {
	if c == "" {
		return true
	}
	for word := range strings.SplitSeq(string(c), ",") {
		if p, n, one := strings.Cut(word, "/"); p == program && (!one || n == name || name == "") {
			return true
		}
	}
	return false
}

// real plays the cases and prints the table. Rows that are not as expected are
// counted; the error is of what stands in the way of any row.
func real(ctx context.Context, only choice, save string) (differ int, err error) {
	w, err := newWorld(ctx, save)
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := w.end(); err == nil {
			err = e
		}
	}()
	t := &table{}
	for _, p := range programs() {
		if only.has(p.name, "") {
			w.play(p, only, t)
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	t.print(os.Stdout)
	return t.differ(), nil
}
