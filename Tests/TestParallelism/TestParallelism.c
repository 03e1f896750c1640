#include "TestParallelism.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Swift Testing 6.3 starts all tests at once unless this variable says how many may run side by side. A test among a thousand
// others waits so long for a thread that its limits pass. Two for each core is what later versions do without being asked.
__attribute__((constructor)) static void limitTestParallelism(void) {
    char width[16];
    snprintf(width, sizeof width, "%ld", 2 * sysconf(_SC_NPROCESSORS_ONLN));
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
