package archive

import (
	"runtime"
	"sync"
)

// inOrder does work for 0 to n-1, several at once, and takes what was made of them
// in their order, with little made ahead. It ends at the first error of take.
func inOrder[T any](n int, work func(int) T, take func(T) error) error {
	workers := min(n, runtime.GOMAXPROCS(0))
	type job struct {
		i    int
		made chan T
	}
	jobs, due := make(chan job), make(chan chan T, workers)
	gone := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(gone)
	wg.Go(func() {
		defer close(jobs)
		defer close(due)
		for i := range n {
			made := make(chan T, 1)
			select {
			case due <- made:
			case <-gone:
				return
			}
			select {
			case jobs <- job{i, made}:
			case <-gone:
				return
			}
		}
	})
	for range workers {
		wg.Go(func() {
			for j := range jobs {
				j.made <- work(j.i)
			}
		})
	}
	for made := range due {
		if err := take(<-made); err != nil {
			return err
		}
	}
	return nil
}
