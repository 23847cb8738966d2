package bus

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// whyNot says of each server of a team why it cannot be connected to, the most telling
// cause first. The client library tells of the last server alone: "no route to host",
// where the first one has shown a wrong certificate.
func whyNot(urls string, options []nats.Option, last error) error {
	all := strings.Split(urls, ",")
	if len(all) == 1 {
		return last
	}
	causes := make([]error, len(all))
	var wg sync.WaitGroup
	for i, one := range all {
		one = strings.TrimSpace(one)
		wg.Go(func() {
			nc, err := nats.Connect(one, append(slices.Clip(options), nats.NoReconnect(), nats.ReconnectErrHandler(nil))...)
			if err == nil {
				nc.Close()
				return
			}
			causes[i] = fmt.Errorf("%s: %w", one, err)
		})
	}
	wg.Wait()
	causes = slices.DeleteFunc(causes, func(err error) bool { return err == nil })
	if len(causes) < len(all) {
		return last // one came back meanwhile: the next attempt finds it
	}
	return several(causes)
}

// telling ranks causes: of a certificate, of credentials, and of the network.
func telling(err error) int {
	var cert *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &cert), errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid):
		return 3
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
		return 2
	}
	return 1
}

// several is all causes in one line, the most telling one first.
func several(causes []error) error {
	causes = slices.Clone(causes)
	slices.SortStableFunc(causes, func(a, b error) int { return telling(b) - telling(a) })
	text := make([]string, len(causes))
	for i, err := range causes {
		text[i] = err.Error()
	}
	return &severalError{strings.Join(text, "; "), causes}
}

type severalError struct {
	text   string
	causes []error
}

func (e *severalError) Error() string   { return e.text }
func (e *severalError) Unwrap() []error { return e.causes }
