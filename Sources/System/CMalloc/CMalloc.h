// The allocator's own count of the bytes in use, which Swift's module of the C library leaves out.
#include <malloc.h>
