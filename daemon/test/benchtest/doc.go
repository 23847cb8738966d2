// Package benchtest measures what the daemon costs, each figure beside a floor
// of the same run: what the same result would cost with nothing of ours in
// between.
//
// It is a test binary that prints one table when it is given -bench.table
// (make bench), and otherwise does nothing. A figure and its floor take turns,
// so both meet the same load of the machine, and medians are compared. It uses
// the programs in bin/ as make build left them, keeps all its files in a
// folder of its own there, on a disk and not in memory, and removes it.
//
// A row above its goal is marked and fails nothing: on a busy machine it may
// only be noise.
package benchtest
