// Package probe measures the machine: memory, swap, load, stalls, disks, open
// files and process trees, within the limits of the container that the daemon
// runs in. What the numbers mean is in probe/judge.
//
// A sample is a handful of small reads, made by one goroutine at a time, and
// starts no program on Linux. What cannot be read stays unknown: a sample never
// fails.
package probe
