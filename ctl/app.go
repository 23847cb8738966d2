package ctl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// app is one call of apctl.
type app struct {
	World
	json    bool
	signals chan os.Signal // that hear has caught
}

// Main runs one command and returns the exit code.
func Main(ctx context.Context, w World) int {
	a := &app{World: w}
	if host, event, ok := hookCall(w.Args); ok {
		a.hookEvent(ctx, host, event)
		return wire.ExitDone
	}
	if args, ok := railCall(w.Args); ok {
		return a.rail(ctx, args)
	}
	if omxHookCall(w.Args) {
		a.omxHook(ctx)
		return wire.ExitDone
	}
	if args, ok := ultragoalCall(w.Args); ok {
		return a.omxUltragoal(ctx, args)
	}
	if verb, args, ok := omxCall(w.Args); ok {
		return a.omx(verb, args)
	}
	if args, ok := policyCall(w.Args); ok {
		return a.policy(args)
	}
	if code, call, ok := sawCall(w.Args); ok {
		a.saw(ctx, code, call)
		return wire.ExitDone
	}
	root := newRoot(a, called(w.Args))
	root.SetArgs(w.Args)
	root.SetIn(w.In)
	root.SetOut(w.Out)
	root.SetErr(w.Err)
	return a.report(root.ExecuteContext(ctx))
}

// report shows an error and returns its exit code.
func (a *app) report(err error) int {
	if err == nil {
		return wire.ExitDone
	}
	var s exitStatus
	if errors.As(err, &s) {
		return int(s)
	}
	var e *wire.Error
	if !errors.As(err, &e) {
		e = render.Internal(err)
	}
	a.showError(e)
	return exitOf(e.Code)
}

// hear catches interrupts from now on, until the function that it returns is
// called. A run hears before it is started, so that none is lost.
func (a *app) hear() (stop func()) {
	a.signals = make(chan os.Signal, 4)
	return a.Notify(a.signals)
}

func (a *app) showError(e *wire.Error) {
	if a.wantsJSON() {
		if b, err := render.Envelope(wire.SchemaError, e); err == nil {
			_, _ = a.Err.Write(b)
			return
		}
	}
	a.note(a.style(a.Err).Error(e))
}

// wantsJSON also looks at the arguments, as flags may be what went wrong.
func (a *app) wantsJSON() bool {
	if a.json {
		return true
	}
	for _, arg := range a.Args {
		if arg == "--" {
			return false
		}
		if arg == "--json" {
			return true
		}
	}
	return false
}

// note says something beside the answer. Nothing can be done if stderr is
// gone.
func (a *app) note(text string) { _, _ = fmt.Fprint(a.Err, text) }

// longAfter is when an answer that is not here needs a word.
const longAfter = time.Second

// saySoon says something if it takes long until the function that it returns is
// called.
func (a *app) saySoon(text string) (done func()) {
	if a.json {
		return func() {}
	}
	said := make(chan struct{})
	t := time.AfterFunc(longAfter, func() {
		defer close(said)
		a.note(text)
	})
	return func() {
		if !t.Stop() {
			<-said // or both would write at once
		}
	}
}

// say writes text that is the answer.
func (a *app) say(text string) error {
	if _, err := fmt.Fprint(a.Out, text); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// answer writes data in its envelope, or as text.
func (a *app) answer(schema string, data any, text func(render.Style) string) error {
	if !a.json {
		return a.say(text(a.style(a.Out)))
	}
	b, err := render.Envelope(schema, data)
	if err != nil {
		return err
	}
	return a.say(string(b))
}

// answerWithin bounds the answer to a plain question, so that a daemon that
// stands still does not hold its callers.
const answerWithin = time.Minute

// ask calls one verb, starting the daemon on demand.
func ask[Q, A any](ctx context.Context, a *app, v wire.Verb[Q, A], req Q, reply *A) error {
	return askAs(ctx, a, ulid.Make().String(), v, req, reply)
}

// askAs is ask under an id of the caller's: the daemon answers it once.
func askAs[Q, A any](ctx context.Context, a *app, id string, v wire.Verb[Q, A], req Q, reply *A) error {
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	if !v.Has(wire.Slow) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, answerWithin,
			render.Timeout("the daemon did not answer "+v.Name, render.Duration(answerWithin)).WithHint("apctl daemon logs"))
		defer cancel()
	}
	if v.Class != wire.Read {
		return a.late(ctx, change(ctx, a, d, id, v, req, reply))
	}
	return a.late(ctx, client.Call(ctx, d, v, req, reply))
}

// late names the daemon whose answer took too long.
func (a *app) late(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return a.silent(ctx, err)
}

// change calls a verb that changes something. When the daemon ends before it
// has answered, the next one is asked once more under the same id, so that what
// was asked for happens once.
func change[Q, A any](ctx context.Context, a *app, d Daemon, id string, v wire.Verb[Q, A], req Q, reply *A) error {
	err := client.CallAs(ctx, d, id, v, req, reply)
	if !unreachable(err) || ctx.Err() != nil {
		return err
	}
	next, err := a.connect(ctx, true)
	if err == nil {
		defer next.Close()
		err = client.CallAs(ctx, next, id, v, req, reply)
	}
	if unreachable(err) {
		return render.Unanswered(v.Spec)
	}
	return err
}

// connect reaches the daemon. Inside an effect it starts none.
func (a *app) connect(ctx context.Context, start bool) (Daemon, error) {
	start = start && a.getenv(place.EnvEffect) == ""
	d, err := a.Connect(ctx, start)
	if start {
		err = a.silent(ctx, err)
	}
	return d, err
}

// ref names the run that the arguments mean; none is the latest here.
func (a *app) ref(args []string) wire.RunRef {
	r := wire.RunRef{Workspace: a.Dir}
	if len(args) > 0 {
		r.Run = args[0]
	}
	return r
}

// liveRef is ref, where none means the only live run here.
func (a *app) liveRef(args []string) wire.RunRef {
	r := a.ref(args)
	r.LiveOnly = r.Run == ""
	return r
}

func (a *app) jsonFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&a.json, "json", false, "answer as JSON in an envelope with schema and version")
	return cmd
}

// upTo accepts at most n arguments.
func upTo(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return render.ManyArguments(cmd.CommandPath(), args, n)
		}
		return nil
	}
}

// runAnd accepts RUN and at most n words more. A RUN that is empty is a variable
// that was never set: it must not mean the run of this directory.
func runAnd(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for _, arg := range args {
			if strings.TrimSpace(arg) == "" {
				return render.EmptyRun(cmd.CommandPath())
			}
		}
		return upTo(1+n)(cmd, args)
	}
}

// flagError turns what the flag parser says into a fault with a hint.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	if !cmd.HasParent() && len(a.Args) > 0 && !strings.HasPrefix(a.Args[0], "-") {
		return unknown(cmd, a.Args[0])
	}
	return render.BadFlag(cmd.CommandPath(), err)
}

// unknown is the fault for a word that is no command of cmd.
func unknown(cmd *cobra.Command, word string) error {
	return render.UnknownCommand(word, cmd.CommandPath(), nearest(cmd, word))
}

// nearest are the commands that a word may have meant.
func nearest(cmd *cobra.Command, word string) []string {
	cmd.SuggestionsMinimumDistance = 2
	if len(word) < 4 {
		cmd.SuggestionsMinimumDistance = 1 // two edits make anything of a short word
	}
	near := cmd.SuggestionsFor(word)
	slices.Sort(near)
	return slices.Concat(below(cmd, word), slices.Compact(near))
}

// below are the commands of groups that have exactly that name: apctl claims is
// apctl peer claims.
func below(cmd *cobra.Command, word string) []string {
	var out []string
	for _, group := range cmd.Commands() {
		for _, c := range group.Commands() {
			if c.IsAvailableCommand() && (strings.EqualFold(c.Name(), word) || c.HasAlias(word)) {
				out = append(out, group.Name()+" "+c.Name())
			}
		}
	}
	return out
}

// group refuses words that are no command of cmd.
func group(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknown(cmd, args[0])
	}
	return nil
}
