package journal

import "testing"

func TestAJournalWithoutADirectoryLooksAtNoDisk(t *testing.T) {
	t.Parallel()
	if err := (&Journal{}).makeRoom(false); err != nil {
		t.Error(err)
	}
}
