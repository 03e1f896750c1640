#define _GNU_SOURCE

#include "CSpawn.h"

#include <fcntl.h>
#include <unistd.h>

int feedback_spawn_pipe(int *ends) {
#ifdef __APPLE__
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    // To write what nobody reads any more is an error, and ends no process.
    fcntl(ends[1], F_SETNOSIGPIPE, 1);
    return 0;
#else
    return pipe2(ends, O_CLOEXEC);
#endif
}

int feedback_spawn_change_folder(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int feedback_spawn_close_files(posix_spawn_file_actions_t *actions, int first) {
#ifdef __APPLE__
    return 0;
#else
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#endif
}
