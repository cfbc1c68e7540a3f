// Package series reads the metrics of the engines that run in the process of a suite.
package series
