// Package page writes a retro for people: as one HTML file, and as Markdown for
// a pull request or a chat.
//
// The HTML file is whole: it asks for nothing over a network and forbids it by
// its own policy, runs nothing, and fits a phone, paper, dark and light. Each
// plot has its text. It stays under a megabyte whatever the run; what was left
// out is said.
//
// Texts of people, agents and programs are written so that they are seen as they
// are and do nothing: escaped, with controls, direction marks and what is
// invisible written out. Who calls it has taken the secrets out.
package page
