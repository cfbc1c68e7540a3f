package servers

// T is the test, or the suite, that a server belongs to: *testing.T, or GinkgoT() in a spec or before a suite.
type T interface {
	Helper()
	Cleanup(f func())
	Fatalf(format string, args ...any)
}
