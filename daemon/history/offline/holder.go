package offline

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/transport/bus"
	"autopilot/events/wire"
)

// endWithin bounds the end of a killed process.
const endWithin = 10 * time.Second

// HolderMain prints who holds the state directory, as a wire.HolderView; with --end it
// kills that process first. It is for apctl when no daemon answers.
func HolderMain(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("autopilotd holder", flag.ContinueOnError)
	f.SetOutput(stderr)
	end := f.Bool("end", false, "kill the process that holds the state directory")
	if err := f.Parse(args); err != nil || f.NArg() > 0 {
		return 2
	}
	places, err := placesOf("")
	if err != nil {
		fmt.Fprintln(stderr, "autopilotd:", err)
		return 1
	}
	info, held, err := bus.Holder(places)
	if err == nil && held && *end {
		ctx, cancel := context.WithTimeout(ctx, endWithin)
		defer cancel()
		err = bus.EndHolder(ctx, places)
	}
	if err != nil {
		fmt.Fprintln(stderr, "autopilotd:", err)
		return 1
	}
	b, err := json.Marshal(wire.HolderView{PID: info.PID, Held: held, Known: bus.Alive(info)})
	if err != nil {
		fmt.Fprintln(stderr, "autopilotd:", err)
		return 1
	}
	fmt.Fprintln(stdout, string(b))
	return 0
}
