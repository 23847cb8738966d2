package ctl

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nkeys"
	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/wire"
)

func newDaemonKey(a *app) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "key FILE",
		Short: "Make a key with which another NATS client can connect",
		Long: `Writes the private key (an nkey seed) into a new file that only you can read, and
says what the configuration of the daemon needs for it. Nothing is let in before
that is written there. The identity is called as the file is, without its end.`,
		Example: "  apctl daemon key alice.nk\n  apctl daemon key ~/keys/phone.nk --name phone",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return render.NoKeyFile()
			}
			return upTo(1)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return runDaemonKey(a, args[0], name) },
	}
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the identity")
	return a.jsonFlag(cmd)
}

func runDaemonKey(a *app, file, name string) error {
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	if !events.Name(name).Valid() || wire.ValidClient(name) {
		return render.BadIdentity(name)
	}
	places, err := a.FindPlaces()
	if err != nil {
		return err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(a.Dir, file)
	}
	v := wire.KeyView{File: file, Name: name, Config: places.Config}
	if v.Key, err = writeKey(file); err != nil {
		return err
	}
	return a.answer(wire.SchemaKey, v, func(render.Style) string { return render.KeyMade(v) })
}

// writeKey makes a key, writes the private part and gives the public one.
func writeKey(file string) (public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", err
	}
	defer pair.Wipe()
	seed, err := pair.Seed()
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", render.KeyThere(file)
	case err != nil:
		return "", render.NoFile(file, cause(err).Error())
	}
	_, err = f.Write(append(seed, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file) // half a key is none
		return "", render.NoFile(file, cause(err).Error())
	}
	return pair.PublicKey()
}
