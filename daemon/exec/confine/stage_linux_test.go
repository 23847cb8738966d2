package confine

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The second stage reads the orders by the number of their file after the first one has:
// a collection of garbage in between, as a large environment brings it, must not close it.
func TestOrdersCanBeReadAgainAfterACollection(t *testing.T) {
	t.Parallel()
	o := orders{path: "/bin/sh", env: []string{"BIG=" + strings.Repeat("x", 1<<20)}}
	fd, err := o.file()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	for range 3 {
		got, err := readOrders(fd)
		if err != nil || len(got.env) != 1 || len(got.env[0]) != len(o.env[0]) {
			t.Fatalf("%d variables, %v", len(got.env), err)
		}
		runtime.GC()
		time.Sleep(time.Millisecond) // the runtime calls finalizers from another goroutine
	}
}
