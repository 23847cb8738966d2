// Package chain is what every fold knows of the log that it reads: how far it
// is, and whether events follow each other. It is one value of a state, reads no
// clock, and judges no content.
package chain

// Log is what a fold knows of the log itself.
type Log struct {
	Seq     uint64
	Unknown int    // events of types that this version does not know
	Broken  uint64 // first sequence that does not follow its predecessor, 0 when all do
	Cut     uint64 // first sequence that was folded, where the ones before are not kept; 0 when all are
}

// From is a log whose events before a sequence are not kept.
func From(seq uint64) Log { return Log{Seq: seq - 1, Cut: seq} }

// Next is the log with one event more. What is broken once stays so.
func (l Log) Next(seq uint64) Log {
	if seq != l.Seq+1 && l.Broken == 0 {
		l.Broken = seq
	}
	l.Seq = seq
	return l
}
