package auth_test

import (
	"testing"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
)

func TestWhoMayUseWhichVerb(t *testing.T) {
	t.Parallel()
	local, effect := auth.Identity{Kind: auth.KindLocal}, auth.Identity{Kind: auth.KindEffect, Effect: "e"}
	reads, operates := auth.Identity{Kind: auth.KindKey, May: wire.Read}, auth.Identity{Kind: auth.KindKey, May: wire.Operate}
	for _, v := range wire.Verbs() {
		for _, c := range []struct {
			who  auth.Identity
			want bool
		}{
			{local, true},
			{auth.Identity{}, v.Class == wire.Read},
			{effect, v.Class == wire.Read},
			{reads, v.Has(wire.Remote) && v.Class == wire.Read},
			{operates, v.Has(wire.Remote) && v.Class != wire.Decide},
		} {
			if err := auth.Permit(c.who, v, nil); (err == nil) != c.want || auth.May(c.who, v) != c.want {
				t.Errorf("%s by %q %q: %v", v.Name, c.who.Kind, c.who.May, err)
			}
			if c.want && auth.Permit(c.who, v, []byte(`{"workspace":"/x"}`)) == nil == (c.who.Kind == auth.KindKey) {
				t.Errorf("%s by %q about a directory", v.Name, c.who.Kind)
			}
		}
	}
}
