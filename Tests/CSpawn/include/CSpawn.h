#pragma once

#include <spawn.h>

// What Swift's module of the C library leaves out.

/// Makes a pipe whose ends no child gets, unless it is told to. Returns -1 if there is an error.
int feedback_spawn_pipe(int *ends);

/// Has the child work in a folder.
int feedback_spawn_change_folder(posix_spawn_file_actions_t *actions, const char *folder);

/// Closes each file of the child from a descriptor on. On Apple platforms a flag does this.
int feedback_spawn_close_files(posix_spawn_file_actions_t *actions, int first);
