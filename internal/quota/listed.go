package quota

import (
	"bytes"
	"time"

	"github.com/dunglas/httpsfv"
)

// Names in the form of the keys of an http.Header.
const (
	rateLimit       = "Ratelimit"
	rateLimitPolicy = "Ratelimit-Policy"
)

// listed visits what the fields RateLimit and RateLimit-Policy say of each quota
// (draft-ietf-httpapi-ratelimit-headers-11 §3 and §4). A malformed field does not count,
// nor does a malformed item (§7).
func listed(limits, policies []string, visit func(remainder)) {
	list, err := httpsfv.UnmarshalList(limits)
	if err != nil {
		dictionary(limits, visit)
		return
	}
	known := items(httpsfv.UnmarshalList(policies))
	for _, item := range items(list, nil) {
		r := remainder{remaining: number(item, "r"), limit: unknown, field: "RateLimit"}
		t := number(item, "t")
		if policy, ok := policyOf(item, known); ok {
			r.limit, r.other = number(policy, "q"), !countsRequests(policy)
			if t == unknown { // the time left is no more than the whole window
				t = number(policy, "w")
			}
		}
		r.left = seconds(t)
		visit(r)
	}
}

// dictionary reads RateLimit as the draft had it up to version 07: "limit=100,
// remaining=50, reset=30".
func dictionary(limits []string, visit func(remainder)) {
	members, err := httpsfv.UnmarshalDictionary(limits)
	if err != nil {
		return
	}
	value := func(key string) int64 {
		if member, ok := members.Get(key); ok {
			if item, ok := member.(httpsfv.Item); ok {
				return count(item.Value)
			}
		}
		return unknown
	}
	visit(remainder{remaining: value("remaining"), limit: value("limit"), left: seconds(value("reset")), field: "RateLimit"})
}

// items returns the first items of a list that have names.
func items(list httpsfv.List, err error) (named []httpsfv.Item) {
	if err != nil {
		return nil
	}
	for _, member := range list[:min(len(list), mostQuotas)] {
		if item, ok := member.(httpsfv.Item); ok && name(item) != "" {
			named = append(named, item)
		}
	}
	return named
}

// name returns the name of a quota. It should be a string; some servers send a token.
func name(item httpsfv.Item) string {
	switch value := item.Value.(type) {
	case string:
		return value
	case httpsfv.Token:
		return string(value)
	}
	return ""
}

// policyOf returns the policy of a quota. Both have the same name, and the same partition
// key if both have one.
func policyOf(item httpsfv.Item, policies []httpsfv.Item) (httpsfv.Item, bool) {
	for _, policy := range policies {
		if name(policy) == name(item) {
			a, b := partition(item), partition(policy)
			if a == nil || b == nil || bytes.Equal(a, b) {
				return policy, true
			}
		}
	}
	return httpsfv.Item{}, false
}

func partition(item httpsfv.Item) []byte {
	value, _ := item.Params.Get("pk")
	key, _ := value.([]byte)
	return key
}

// countsRequests reports whether a policy counts requests (§3.1.2, §10.3).
func countsRequests(policy httpsfv.Item) bool {
	unit, ok := policy.Params.Get("qu")
	return !ok || unit == "requests" || unit == "request"
}

// number returns a parameter that is a count; unknown if it is none.
func number(item httpsfv.Item, key string) int64 {
	value, _ := item.Params.Get(key)
	return count(value)
}

func count(value any) int64 {
	if n, ok := value.(int64); ok && n >= 0 {
		return n
	}
	return unknown
}

// seconds returns a time left. An unknown one is 0.
func seconds(n int64) time.Duration {
	return bounded(time.Duration(min(n, int64(MaxRetryAfter/time.Second))) * time.Second)
}
