// The system's libpq, PostgreSQL's client library: libpq-dev on Debian and Ubuntu, libpq from Homebrew.
#include <libpq-fe.h>
