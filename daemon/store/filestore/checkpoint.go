package filestore

import (
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"autopilot/daemon/store/durable"
)

// checkpoint says up to where all seals are on the disk. It is synced, and has a
// seal of its own.
type checkpoint struct {
	Position
	clean bool   // nothing came behind it
	boot  string // of the host that it was written in
}

// noStream stands for the stream of a store without events.
const noStream = "-"

func (c checkpoint) line() string {
	stream := c.Stream
	if stream == "" {
		stream = noStream
	}
	return fmt.Sprintf("1 %s %d %t %s", stream, c.Last, c.clean, c.boot)
}

func (s *sealer) checkpoint(line string) string {
	sum := s.sum([]byte("checkpoint\x00" + line))
	return hex.EncodeToString(sum[:])
}

func (c checkpoint) write(path string, key *sealer) error {
	line := c.line()
	if err := durable.Replace(path, []byte(line+" "+key.checkpoint(line)+"\n")); err != nil {
		return fmt.Errorf("write the checkpoint of the seals: %w", err)
	}
	return nil
}

// readCheckpoint reads a checkpoint that was written with that key.
func readCheckpoint(path string, key *sealer) (c checkpoint, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, notWhole("their checkpoint %s is missing", path)
	}
	if err != nil {
		return c, fmt.Errorf("%w: read their checkpoint: %w", ErrSeals, err)
	}
	text := strings.TrimSuffix(string(b), "\n")
	i := strings.LastIndexByte(text, ' ')
	if i < 0 || !hmac.Equal([]byte(text[i+1:]), []byte(key.checkpoint(text[:i]))) {
		return c, notWhole("their key or their checkpoint was changed")
	}
	f := strings.Fields(text[:i])
	if len(f) != 5 || f[0] != "1" {
		return c, notWhole("their checkpoint has a form that this version does not know")
	}
	if f[1] != noStream {
		c.Stream = f[1]
	}
	c.clean, c.boot = f[3] == "true", f[4]
	if c.Last, err = strconv.ParseUint(f[2], 10, 64); err != nil {
		return c, fmt.Errorf("%w: %w", ErrSeals, err)
	}
	return c, nil
}
