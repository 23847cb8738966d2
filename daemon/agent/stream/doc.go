// Package stream reads what agent programs print while they work.
//
// A Reader takes bytes as they come, cut anywhere, and gives Items: a small
// closed set that is the same for every program. Its Summary says at any time
// what is known so far: session, model, usage, cost, the last words, and
// whether the program said its last event.
//
// It promises:
//
//   - The same bytes give the same items, however they are split.
//   - An object of the stream is found wherever it is: with text before, between
//     and behind it in its line, over several lines, and with an object of another
//     program in its middle. Only an object that lies in another one with a type is
//     a part of that.
//   - Nothing that is printed loses a later line: a line that is cut, types that are
//     not known, bytes that are not UTF-8, lines of any length.
//   - Memory is bounded, by a few times maxLine. Of a longer line the rest of a long
//     text is left out, and what follows that is read; an object that is long without
//     such a text is read as far as maxLine.
//   - Usage is never added twice: where a program reports a total, that is it,
//     and a resumed session's is said to be one of all its calls.
//   - Each line that tells usage is an Item at once, so a limit can cut there.
//
// A Reader judges nothing: an agent that says it has succeeded has said so, and
// that is all. It does no I/O, and one Reader belongs to one goroutine.
//
// Source of the formats: Agent programs, C.1 to C.6.
package stream
