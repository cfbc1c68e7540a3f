// Package autoscaling builds the children of the API group autoscaling.
package autoscaling
