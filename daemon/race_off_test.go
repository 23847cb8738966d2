//go:build !race

package daemon

const raced = false
