package fetch

var Clip = clip
