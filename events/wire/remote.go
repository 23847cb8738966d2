package wire

import "slices"

// Remote reports whether a client on another host may use the verb, if its key
// may do what the verb does. Verbs that take files, programs, environment or the
// terminal of the caller are served on the host alone, and so are those that end the
// daemon, which nobody elsewhere could start again, and every decision, as nobody
// is proven to be a person over the network.
func (v Verb) Remote() bool { return slices.Contains(remoteVerbs(), v) }

func remoteVerbs() []Verb {
	return []Verb{
		Credit, RunList, RunGet, RunWhy, RunWatch, RunEvents, RunLogs, RunDiff, RunReplay, Retro, ReportMade, InboxList,
		StatusLine, UsageShow, Verify, DaemonStatus, ArchiveList, ArchiveExport, WorkflowSchema,
		RunStop, RunCancel, RunResume, RunRestore, NotifyTest, ArchivePrune,
	}
}
