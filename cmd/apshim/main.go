// Command apshim supervises one effect and outlives the daemon that started
// it. It is started by autopilotd, never by hand.
package main

import (
	"os"
	"runtime"

	"autopilot/daemon/exec/shim"
)

// Only here can the main goroutine be bound to the main thread, see
// shim.Supervise.
func init() { runtime.LockOSThread() }

func main() {
	os.Exit(shim.Main(os.Args))
}
