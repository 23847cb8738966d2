package snapshot

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// durations writes a time.Duration as its nanoseconds: it has no form of its own
// in JSON.
func durations() json.Options {
	return json.JoinOptions(
		json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, d time.Duration) error {
			return e.WriteToken(jsontext.Int(int64(d)))
		})),
		json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *time.Duration) error {
			t, err := d.ReadToken()
			if err != nil {
				return err
			}
			n, err := t.Int()
			*v = time.Duration(n)
			return err
		})),
	)
}
