package benchtest

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// table is what is printed: rows, and under them how they came about.
type table struct {
	rows  []row
	notes []string
}

type row struct {
	what, floor, ours, figure, goal string
	ok                              bool
}

// ratio adds a row that compares two medians by their quotient.
func (t *table) ratio(what string, floor, ours time.Duration, goal float64) {
	x := float64(ours) / float64(floor)
	t.rows = append(t.rows, row{what, ms(floor), ms(ours), fmt.Sprintf("%.2f x", x), fmt.Sprintf("<= %.2f x", goal), x <= goal})
}

// more adds a row that compares two medians by their difference.
func (t *table) more(what string, floor, ours, goal time.Duration) {
	d := ours - floor
	t.rows = append(t.rows, row{what, ms(floor), ms(ours), fmt.Sprintf("%+.2f ms", float64(d.Microseconds())/1e3), "<= +" + ms(goal), d <= goal})
}

// ratioOf is ratio for times far below a millisecond.
func (t *table) ratioOf(what string, floor, ours time.Duration, goal float64) {
	x := float64(ours) / float64(floor)
	t.rows = append(t.rows, row{what, floor.String(), ours.String(), fmt.Sprintf("%.2f x", x), fmt.Sprintf("<= %.2f x", goal), x <= goal})
}

// rate adds a row that compares how much is done in a time: more is better.
func (t *table) rate(what string, n int, floor, ours time.Duration, goal float64) {
	x := float64(floor) / float64(ours)
	each := func(d time.Duration) string { return fmt.Sprintf("%.0f k/s", float64(n)/1e3/d.Seconds()) }
	t.rows = append(t.rows, row{what, each(floor), each(ours), fmt.Sprintf("%.2f x", x), fmt.Sprintf(">= %.2f x", goal), x >= goal})
}

// memory adds a row that compares two sizes in KiB by their difference.
func (t *table) memory(what string, floor, ours, goal int) {
	r := row{what, mib(floor), mib(ours), fmt.Sprintf("%+.0f MiB", float64(ours-floor)/1024), "<= +" + mib(goal), ours-floor <= goal}
	if floor == 0 {
		r.ours, r.figure = "not measured here", "-"
	}
	t.rows = append(t.rows, r)
}

func mib(kib int) string { return fmt.Sprintf("%.0f MiB", float64(kib)/1024) }

func (t *table) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1e3) }

func (t *table) print(w io.Writer, facts []string, total time.Duration) {
	for _, f := range facts {
		fmt.Fprintln(w, f)
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "what\tfloor\tours\tfigure\tgoal\t")
	for _, r := range t.rows {
		mark := "ok"
		if !r.ok {
			mark = "ABOVE GOAL"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\n", r.what, r.floor, r.ours, r.figure, r.goal, mark)
	}
	_ = tw.Flush() // a lost table is seen
	fmt.Fprintln(w)
	for _, n := range t.notes {
		fmt.Fprintln(w, n)
	}
	fmt.Fprintf(w, "Floor and ours took turns in one run; figures are of medians. %s, load at the end %s.\n", total.Round(time.Second), load())
}
