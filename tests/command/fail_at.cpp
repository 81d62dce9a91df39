// Makes one call of the C library fail in the program that loads this file first (LD_PRELOAD).
//
// WARPWISE_FAIL says which call. "CALLS N" makes call number N fail, counted from 1; CALLS is
// memory, write, rename, close or create. "full N" makes every write fail once N bytes are written,
// as on a full disk. Counting begins when the program first opens a file whose path ends in
// WARPWISE_FAIL_FROM. Standard output and standard error never fail. WARPWISE_FAIL_COUNT names a
// file that gets the number of calls or bytes at exit.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum class Calls { none, memory, write, rename, close, create, full };

std::atomic<Calls> failing = Calls::none;
long long at = 0;
std::atomic<long long> count = 0;

Calls named(const char* name) {
  constexpr const char* names[] = {"none", "memory", "write", "rename", "close", "create", "full"};
  for (int i = 0; i < 7; ++i) {
    if (std::strcmp(name, names[i]) == 0) return static_cast<Calls>(i);
  }
  std::abort();
}

bool fails(Calls calls) { return failing == calls && ++count == at; }

bool may_fail(int descriptor) { return descriptor > STDERR_FILENO; }

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void save_count() {
  failing = Calls::none;
  const char* path = std::getenv("WARPWISE_FAIL_COUNT");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "w")) {
    std::fprintf(file, "%lld\n", count.load());
    std::fclose(file);
  }
}

// Begins to count when the program first opens the file with open().
void begin_at(const char* path) {
  static std::atomic<bool> begun = false;
  const char* text = std::getenv("WARPWISE_FAIL");
  const char* from = std::getenv("WARPWISE_FAIL_FROM");
  if (text == nullptr || from == nullptr || begun) return;
  const std::size_t length = std::strlen(path);
  const std::size_t end = std::strlen(from);
  if (length < end || std::strcmp(path + length - end, from) != 0 || begun.exchange(true)) return;
  char name[16] = {};
  if (std::sscanf(text, "%15s %lld", name, &at) != 2) std::abort();
  std::atexit(save_count);
  failing = named(name);
}

int no_space() {
  errno = ENOSPC;
  return -1;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  if (fails(Calls::memory)) return errno = ENOMEM, nullptr;
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) {
  if (fails(Calls::memory)) return errno = ENOMEM, nullptr;
  return __libc_calloc(number, size);
}

void* realloc(void* old, std::size_t size) {
  if (fails(Calls::memory)) return errno = ENOMEM, nullptr;
  return __libc_realloc(old, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (fails(Calls::memory)) return errno = ENOMEM, nullptr;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** to, std::size_t alignment, std::size_t size) {
  if (fails(Calls::memory)) return ENOMEM;
  *to = __libc_memalign(alignment, size);
  return *to == nullptr ? ENOMEM : 0;
}

ssize_t write(int descriptor, const void* from, std::size_t size) {
  using Write = ssize_t(int, const void*, std::size_t);
  if (may_fail(descriptor)) {
    if (fails(Calls::write)) return no_space();
    if (failing == Calls::full) {
      const long long room = at - count;
      if (room <= 0) return no_space();
      if (static_cast<long long>(size) > room) size = static_cast<std::size_t>(room);
      count += static_cast<long long>(size);
    }
  }
  return next<Write>("write")(descriptor, from, size);
}

int rename(const char* from, const char* to) {
  if (fails(Calls::rename)) return no_space();
  return next<int(const char*, const char*)>("rename")(from, to);
}

int close(int descriptor) {
  const int closed = next<int(int)>("close")(descriptor);
  return may_fail(descriptor) && fails(Calls::close) ? (errno = EIO, -1) : closed;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  begin_at(path);
  if ((flags & O_CREAT) != 0 && fails(Calls::create)) return no_space();
  return next<int(const char*, int, ...)>("open")(path, flags, mode);
}

}  // extern "C"
