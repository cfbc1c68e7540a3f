// Package kafka asks a Kafka cluster how many partitions a topic has, and how far a group of consumers is behind.
package kafka
