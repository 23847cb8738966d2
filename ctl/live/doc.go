// Package live is the full screen of apctl watch: a list of runs, what is
// known of the selected one, and the tail of its log.
//
// The model is pure: Update takes a message and returns the next model and what
// it wants done, View makes lines of it. What reads the daemon and the terminal
// stands apart, in feed and Show. Words about a run come from ctl/render; here
// they are laid out.
//
// It promises that nothing on the screen steers a terminal, that the terminal
// is left as it was found whatever ends the screen, and that leaving never
// changes a run. All that a key does, a command line does too, and the screen
// names it. Data that the daemon has not confirmed is shown as old, with its
// time.
//
// An open screen asks the daemon for its list every two seconds while something
// is live, every five otherwise; the explanation of the selected run only when
// the run has changed; its log is one stream.
package live
