package wire

const stackFactor = 1
