package boltstore_test

import "syscall"

// inMemory returns the folder whose files are in memory, if it has room. There a sync costs
// nothing, and these tests sync some thousand times.
func inMemory() string {
	const folder, room = "/dev/shm", 512 << 20
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil || disk.Bavail*uint64(disk.Bsize) < room {
		return ""
	}
	return folder
}
