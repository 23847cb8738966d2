package offline

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/history/prove"
	"autopilot/daemon/store/filestore"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// reseal seals a store anew whose mark or seals are lost, once its events are
// proven by their chains.
func reseal(ctx context.Context, places place.Places) (reply wire.VerifyReply, err error) {
	// Nothing is started: it only knows which processes belong to effects.
	root := filepath.Join(places.State, "effects")
	runner, err := effect.New(effect.Config{Root: root, Shim: filepath.Join(root, "none")})
	if err != nil {
		return reply, err
	}
	if _, inside := runner.Owner(os.Getppid()); inside || os.Getenv(place.EnvEffect) != "" {
		return reply, errors.New("a store is not sealed from inside an effect")
	}
	err = locked(places, func(boot string) error {
		// Texts and bundles that are gone are no reason: they are named by what
		// they hold.
		p := prove.New(prove.Config{Lost: true, Text: func(events.Ref) error { return nil }})
		if reply, err = proveStore(ctx, p, places.State, boot, nil); err != nil || len(reply.Problems) > 0 {
			return err
		}
		to, err := acknowledged(places.State, boot, nil)
		if err != nil {
			return err
		}
		if err := filestore.Seal(filestore.NamesIn(places.State), filestore.StreamsIn(places.State), to.Stream, boot); err != nil {
			return err
		}
		reply, err = proveSealed(ctx, places.State, boot)
		return err
	})
	return reply, err
}
