// Package trust knows which configuration of a project a person has agreed to, and
// what it says: its settings, its workflows and their prompts.
//
// A Keeper owns what was agreed to, by the hash of the content and the repository
// that it is in, as the host's log has it; how a person agrees; and which files keep
// runs from being started, as long as this daemon lives. Flows finds workflows as a
// run in a work tree would use them, and answers the verbs about them.
//
// Promises:
//   - What a person agrees to are the bytes whose hash was shown, and who was allowed
//     to use a file uses the bytes that were asked about, and does not read it again.
//   - What differs in one byte is not trusted, and neither is it in another clone.
//     Linked work trees of a repository are one.
//   - A record of the host that is not whole says of nothing that it is trusted.
//   - Nobody is asked about a file that cannot be used.
//
// It starts no run, and writes no file of a project but a workflow that is new.
package trust
