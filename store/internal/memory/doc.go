// Package memory keeps claims and turns in memory. The Stores and Turns below package
// store build on it. Its clock is time.Now.
package memory
