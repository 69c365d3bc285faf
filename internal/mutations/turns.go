package main

var ofTurns []mutation
