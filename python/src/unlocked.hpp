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
auto locked_by(const Take& take) {
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

/// Releases Python's lock while this object lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    locked_by([this] { PyEval_RestoreThread(state_); });
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// Takes Python's lock while this object lives, also where the thread holds the lock already.
class Locked {
 public:
  Locked() : state_(locked_by([] { return PyGILState_Ensure(); })) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace warpwise::python
