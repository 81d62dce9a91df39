#pragma once

// Calls without Python's lock, from threads that Python may end.

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace warpwise::python {

/// Returns take(), a call that takes Python's lock. Once Python is ending, Python before 3.14 ends
/// a daemon thread there, by an unwinding that aborts the process at the first noexcept function.
/// The thread then waits for the end of the process instead, as it does from Python 3.14 on.
template <class Take>
auto take_gil_or_wait(const Take& take) {
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

/// Releases Python's lock while this object lives.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() {
    take_gil_or_wait([this] { PyEval_RestoreThread(state_); });
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

/// Takes Python's lock while this object lives, also where the thread holds the lock already.
class GilAcquire {
 public:
  GilAcquire() : state_(take_gil_or_wait([] { return PyGILState_Ensure(); })) {}
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace warpwise::python
