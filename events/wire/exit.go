package wire

// The exit codes of apctl. RunView.Exit is one of them.
const (
	ExitDone        = 0 // done, or a graceful end
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNotFound    = 4
	ExitConflict    = 5
	ExitUnreachable = 6 // no daemon
	ExitTimedOut    = 7
	ExitDenied      = 8
	ExitRail        = 10 // halted by a rail
	ExitLimit       = 11 // halted by a limit or a kill switch
	ExitWaiting     = 12
	ExitPerson      = 13 // needs a person
	ExitCancelled   = 14
	ExitInterrupted = 130
)
