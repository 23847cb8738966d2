// Package holdout reads the folder of held-out files and lays it where a gate runs.
//
// It owns the walk, its bounds and the sum by which a folder is known. It promises
// that Sum and Lay see the same files: Lay returns the sum of exactly what it wrote.
// It follows no link, neither in the folder nor where it writes, whatever an agent
// has put there. It never decides when a gate runs, or who may see what it printed.
package holdout
