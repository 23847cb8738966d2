//go:build !linux

package doctor

import "errors"

func landlockABI() (int, error) { return 0, errors.ErrUnsupported }
