// Package simulate runs a Katalog without a cluster: the reconciler, the applier and the store of children that also run in one, over
// an API server in memory. It tells what every gate said, which children there are and what the status says.
//
// Cycles go on until nothing changes. No controller but the Katalog's own is there: a Deployment does not become ready, a Job does not
// complete, unless the scene has it so from the start. Time stands still.
package simulate
