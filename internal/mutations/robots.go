package main

var ofRobots []mutation
