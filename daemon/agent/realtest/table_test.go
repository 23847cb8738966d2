package realtest

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"autopilot/daemon/agent/stream"
)

// row is a case as it went.
type row struct {
	program, version, name string
	want, got              string
	seen                   seen
	took                   time.Duration
	faults                 []string // what is not as expected
}

// seen is what was read of a program.
type seen struct {
	exit     string
	session  string
	usage    stream.Usage
	microUSD int64
	priced   bool
	reset    time.Time
	tries    int // requests that were made of the provider
}

type table struct{ rows []row }

func (t *table) add(r row) { t.rows = append(t.rows, r) }

func (t *table) differ() (n int) {
	for _, r := range t.rows {
		if len(r.faults) > 0 {
			n++
		}
	}
	return n
}

func (t *table) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PROGRAM\tVERSION\tCASE\tEXPECTED\tGOT\tEXIT\tSESSION\tIN+CACHED/OUT\tCOST\tRESET\tTRIES\tSECONDS\t")
	for _, r := range t.rows {
		note := strings.Join(r.faults, "; ")
		if note != "" {
			note = "<< " + note
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%.1f\t%s\n", r.program, dash(r.version), r.name, r.want, dash(r.got),
			dash(r.seen.exit), dash(short(r.seen.session)), tokens(r.seen.usage), dollars(r.seen), clock(r.seen.reset), r.seen.tries, r.took.Seconds(), note)
	}
	_ = w.Flush()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// short is enough of an id to tell it from others.
func short(id string) string {
	if len(id) > 12 {
		return id[:8] + ".." + id[len(id)-2:]
	}
	return id
}

func tokens(u stream.Usage) string {
	if u == (stream.Usage{}) {
		return "-"
	}
	return fmt.Sprintf("%d+%d/%d", u.Input, u.CacheRead, u.Output)
}

func dollars(s seen) string {
	if !s.priced {
		return "-"
	}
	return "$" + strconv.FormatFloat(float64(s.microUSD)/1e6, 'f', -1, 64)
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("15:04")
}
