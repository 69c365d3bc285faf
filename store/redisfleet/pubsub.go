package redisfleet

import "github.com/redis/rueidis"

// A pubsub is the commands that tell and hear news. In a cluster, they are the sharded ones:
// their messages stay on the node that keeps the breaks, and do not go to all nodes.
type pubsub struct{ publish, subscribe, unsubscribe string }

func pubsubOf(cluster bool) pubsub {
	if cluster {
		return pubsub{"SPUBLISH", "SSUBSCRIBE", "SUNSUBSCRIBE"}
	}
	return pubsub{"PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE"}
}

// to returns the command that subscribes to channels.
func (p pubsub) to(b rueidis.Builder, channels ...string) rueidis.Completed {
	if p.subscribe == "SSUBSCRIBE" {
		return b.Ssubscribe().Channel(channels...).Build()
	}
	return b.Subscribe().Channel(channels...).Build()
}
