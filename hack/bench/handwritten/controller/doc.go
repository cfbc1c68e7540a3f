// Package controller holds two operators of Websites, written as one writes them with controller-runtime: CreateOrUpdate reads,
// changes and updates its children, Apply declares them with server-side apply. Both do the same work and are what the benchmark
// measures Orkestra against, so both write only when something differs.
package controller
