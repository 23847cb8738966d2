// Package chat tells which chat stands behind a request, and remembers what the
// hosts of chats tell of them.
//
// It owns the rule of who a chat is: the process that it lives in, as the kernel
// shows it and whatever the chat calls itself; the hosts that run hooks; and the
// signs of life of chats that drive a run. What hosts tell is known of this daemon's
// life only, and of so many chats at most: the next hook of one makes it known again.
// All of it may be used from many goroutines.
//
// It never looks at runs, stores nothing, and decides nothing: what a chat may do is
// for the caller.
package chat
