// The system's libpq, PostgreSQL's client library: libpq-dev on Debian and Ubuntu, libpq from Homebrew.
#include <libpq-fe.h>

#ifdef __linux__
// The C library's Swift module lacks it. It is needed to wait for many connections.
#include <sys/epoll.h>
#endif
