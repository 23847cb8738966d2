// Package session lets chats drive runs: one joins, is told what to do next, delivers
// it, asks and answers, and leaves.
//
// It owns who drives a run as far as that is asked: a chat is known by the process that
// it lives in, so only the one that has joined, or what lives below it, speaks for the
// run. What was taken is taken once: the same request again has the same answer.
//
// It stores nothing itself: every step is a command to the run. What a chat says is
// judged as the word of a chat, and never as that of a person.
package session
