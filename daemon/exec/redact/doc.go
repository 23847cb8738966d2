// Package redact keeps secrets out of what is stored: the values of variables,
// in the forms in which they get printed, and keys that are known by their
// shape.
//
// It owns three things: which variables are secret (Secrets), what is looked
// for (Set), and the replacing of it in a stream (Writer) or a text (Set.Text).
// A secret is given as NAME=value, as in an environment.
//
// Promises:
//   - How a stream is split into writes changes nothing: the output is that of
//     one write with all of it.
//   - A value of a Set is never in the output, as it is, or in base64 (either
//     alphabet, at any place in what was encoded, also over several lines), hex,
//     escaped for a URL or for JSON, once or twice. Of base64 and hex that is
//     true of all but a byte at either end.
//   - Only bytes that can be the beginning of a secret are held back, and those
//     until what follows decides, never for a time. A Writer needs memory in
//     proportion to the longest value, whatever is written.
//   - Text that is none of these passes as it is, byte by byte.
//
// It cannot know what was changed before it is printed: reversed, encrypted, cut
// into pieces with other text between them. It stops accidents, not intent.
//
// A Set may be used by several goroutines, a Writer by one. The package imports
// next to nothing, as each supervisor of an effect links it.
package redact
