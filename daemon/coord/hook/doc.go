// Package hook answers the hooks by which the hosts of chats tell what these are about
// to do, and have done.
//
// It owns what a chat is told at its beginning and kept from at its end, which uses of
// tools it is warned of, and what becomes known of files that it wrote into the work
// tree of a run that is not its own. Whatever a chat that drives no run does is its own
// business: it gets no word but at its beginning, and about what others have.
//
// It proves nothing and ends nothing: a hook saves an iteration, and the gates are what
// proves. Where it fails, the chat goes on. What it says holds no way around a guard.
package hook
