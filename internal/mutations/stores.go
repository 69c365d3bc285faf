package main

var ofStores []mutation
