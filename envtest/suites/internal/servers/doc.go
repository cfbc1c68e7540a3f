// Package servers starts the services that suites talk to, each on a free port of 127.0.0.1, in a temporary folder, until the test or the
// suite that started it ends. A server can be stopped and started again at the same address in between, with what it has stored. A Proxy
// before it shows what is worse than being stopped: being slow, silent, or cut in the middle.
//
// They are the real ones, except where a type's comment says that it is a double. A server that is not installed fails the test with what
// to do about it: it never skips.
package servers
