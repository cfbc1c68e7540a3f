package conversion

// Readable is readable, for tests.
var Readable = readable
