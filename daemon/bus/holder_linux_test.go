package bus

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"
)

func TestTheProcessAtTheOtherEndIsFound(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue // a host may have no IPv6
		}
		defer l.Close()
		near, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer near.Close()
		far, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer far.Close()
		from, _ := addrOf(far.RemoteAddr())
		to, _ := addrOf(far.LocalAddr())
		if pids, err := holders(from, to, os.Getuid()); err != nil || !slices.Equal(pids, []int{os.Getpid()}) {
			t.Errorf("%s: %v %v, want %d", address, pids, err, os.Getpid())
		}
		if pids, err := holders(from, to, os.Getuid()+1); err != nil || len(pids) > 0 {
			t.Errorf("%s of another user: %v %v", address, pids, err)
		}
	}
}

func TestAConnectionThatNobodyHereHas(t *testing.T) {
	t.Parallel()
	near := netip.MustParseAddrPort("127.0.0.1:1")
	if pids, err := holders(netip.MustParseAddrPort("192.0.2.1:2"), near, os.Getuid()); err != nil || len(pids) > 0 {
		t.Errorf("another host: %v %v", pids, err)
	}
	if pids, err := holders(netip.MustParseAddrPort("127.0.0.1:2"), near, os.Getuid()); err == nil {
		t.Errorf("gone from this host: %v", pids)
	}
}

func TestAnAddressOfTheKernelsTable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0100007F:1F90": "127.0.0.1:8080", "00000000000000000000000001000000:0050": "[::1]:80", "0000000000000000FFFF00000100007F:0001": "127.0.0.1:1",
		"": "invalid AddrPort", "xx:1": "invalid AddrPort", "0100007F": "invalid AddrPort",
	} {
		if got := tableAddr(text).String(); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
