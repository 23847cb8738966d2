// Package render makes every text that apctl shows, for people and for
// programs. It is the only place where apctl has a voice.
//
// It promises that nothing an agent, a gate or a task printed reaches a
// terminal as a control: each foreign text goes through Clean, Line or a
// Cleaner first. Colour only repeats what a word or a mark already says.
//
// It does no I/O, reads no clock and no environment: a Style carries the
// width, the time and the zone. A Style may be used by many goroutines.
package render
