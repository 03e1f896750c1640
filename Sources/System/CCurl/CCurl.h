// The system's libcurl: libcurl4-openssl-dev on Debian and Ubuntu.
//
// Swift cannot call functions with variable arguments, so each type of argument that we pass has a function here.
#include <curl/curl.h>

// Swift's module of the C library lacks them. They are needed to wait for many sockets.
#include <sys/epoll.h>
#include <sys/eventfd.h>

// The oldest version with CURLOPT_PREREQFUNCTION, which keeps a request from being sent twice.
#if !CURL_AT_LEAST_VERSION(7, 80, 0)
#error "libcurl 7.80 or later is needed"
#endif

typedef size_t (*ccurl_bytes_callback)(char *, size_t, size_t, void *);

static inline CURLcode ccurl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode ccurl_enable(CURL *handle, CURLoption option) {
  return curl_easy_setopt(handle, option, 1L);
}

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_callback(CURL *handle, CURLoption option, ccurl_bytes_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_seek(CURL *handle, curl_seek_callback value) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, value);
}

// Has libcurl show all that it receives.
static inline CURLcode ccurl_set_observer(CURL *handle, curl_debug_callback value) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, value);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_VERBOSE, 1L) : code;
}

static inline CURLcode ccurl_set_before_request(CURL *handle, curl_prereq_callback value) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

// Only http and https, whatever the URL; the option's form changed with libcurl 7.85.
static inline CURLcode ccurl_allow_http_only(CURL *handle) {
#if CURL_AT_LEAST_VERSION(7, 85, 0)
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// Has libcurl tell which sockets it waits for, and until when; without functions, it tells no more.
static inline void ccurl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
}

// Lets a handle go while the name of its host is still looked up, without waiting for the name server.
static inline void ccurl_leave_resolver(CURL *handle) {
#if CURL_AT_LEAST_VERSION(7, 87, 0)
  curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

// The socket of the last transfer; CURL_SOCKET_BAD if its connection was closed.
static inline curl_socket_t ccurl_active_socket(CURL *handle) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket);
  return socket;
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
