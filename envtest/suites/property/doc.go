// Package property holds one integration test: whatever is done to resources, their children, the Katalog and the operator, once all is
// at rest the cluster holds what a simulation says, nothing of others is touched, and another look costs no request.
//
// What is done is chosen at random. ORKESTRA_PROPERTY_SEED repeats a run, and ORKESTRA_PROPERTY_TIME, 75s by default, is how long new
// runs are begun.
package property
