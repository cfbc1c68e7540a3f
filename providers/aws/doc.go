// Package aws keeps buckets of S3 and queues of SQS, at Amazon or at a service that speaks the same protocol.
//
// What it makes carries its owner in a tag.
package aws
