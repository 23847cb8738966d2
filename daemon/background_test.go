package daemon

import "testing"

func TestNothingIsBegunBesideADaemonThatHasEnded(t *testing.T) {
	t.Parallel()
	var b background
	done, begun := make(chan struct{}), make(chan struct{})
	b.Go(func() { close(done) })
	b.Wait()
	<-done
	b.Go(func() { close(begun) })
	b.wg.Wait()
	select {
	case <-begun:
		t.Error("it was begun, and nobody waits for it")
	default:
	}
}
