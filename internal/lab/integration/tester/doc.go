// Package tester drives the page of "polite tester" in Chromium as a user does: with keys,
// clicks and files. It has tests alone.
package tester
