// Command stamp prints the time at which it began, in Unix nanoseconds.
package main

import (
	"os"
	"strconv"
	"time"
)

func main() {
	_, _ = os.Stdout.WriteString(strconv.FormatInt(time.Now().UnixNano(), 10))
}
