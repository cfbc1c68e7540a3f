// Command bench measures Orkestra against two operators that are written by hand with controller-runtime and do the same work:
// one Website becomes a Deployment and a Service. The operators run one after another, as processes of their own, against one
// API server without controllers, several times in changing order.
//
// What is measured is explained in docs/benchmarks.md. The bench works on Linux, where it reads /proc.
package main
