// Command apshim supervises one effect and outlives the daemon that started
// it. It is started by autopilotd, never by hand.
package main

import (
	"os"

	"autopilot/daemon/effect/shim"
)

func main() {
	os.Exit(shim.Main(os.Args))
}
