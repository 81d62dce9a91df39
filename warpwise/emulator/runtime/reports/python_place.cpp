#include "warpwise/emulator/runtime/reports/python_place.hpp"

#include <dlfcn.h>

#include <string>
#include <string_view>
#include <utility>

namespace warpwise::emulator::runtime {
namespace {

template <class Function>
void find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

/// Functions of Python's C interface in this process, from Python 3.9 on; null if missing.
struct Python {
  int (*is_initialized)() = nullptr;
  int (*is_finalizing)() = nullptr;
  void* (*this_thread)() = nullptr;
  int (*take_lock)() = nullptr;
  void (*release_lock)(int) = nullptr;
  void* (*error)() = nullptr;
  void (*clear_error)() = nullptr;
  void* (*innermost_frame)() = nullptr;
  void* (*caller_of)(void*) = nullptr;
  void* (*code_of)(void*) = nullptr;
  int (*line_of)(void*) = nullptr;
  void* (*attribute)(void*, const char*) = nullptr;
  const char* (*utf8)(void*) = nullptr;
  void (*release)(void*) = nullptr;

  Python() {
    find(is_initialized, "Py_IsInitialized");
    find(is_finalizing, "Py_IsFinalizing");
    if (is_finalizing == nullptr) find(is_finalizing, "_Py_IsFinalizing");  // Python before 3.13
    find(this_thread, "PyGILState_GetThisThreadState");
    find(take_lock, "PyGILState_Ensure");
    find(release_lock, "PyGILState_Release");
    find(error, "PyErr_Occurred");
    find(clear_error, "PyErr_Clear");
    find(innermost_frame, "PyEval_GetFrame");
    find(caller_of, "PyFrame_GetBack");
    find(code_of, "PyFrame_GetCode");
    find(line_of, "PyFrame_GetLineNumber");
    find(attribute, "PyObject_GetAttrString");
    find(utf8, "PyUnicode_AsUTF8");
    find(release, "Py_DecRef");
  }
  bool is_whole() const {
    return is_initialized && is_finalizing && this_thread && take_lock && release_lock && error &&
           clear_error && innermost_frame && caller_of && code_of && line_of && attribute && utf8 &&
           release;
  }
  /// Returns true if this thread may take Python's lock. During Python's end, taking it would end
  /// the thread.
  bool runs_in_this_thread() const {
    return is_whole() && is_initialized() != 0 && is_finalizing() == 0 && this_thread() != nullptr;
  }

  std::string text(void* code, const char* name) const {
    void* const value = attribute(code, name);
    const char* const characters = value == nullptr ? nullptr : utf8(value);
    const std::string copy = characters == nullptr ? "" : characters;
    if (value != nullptr) release(value);
    if (characters == nullptr) clear_error();  // the file's name is not UTF-8
    return copy;
  }
  ProgramPlace place_of(void* frame) const {
    void* const code = code_of(frame);
    ProgramPlace place{{text(code, "co_filename"), line_of(frame)}, text(code, "co_name"), ""};
    if (place.function == "<module>") place.function.clear();
    release(code);
    return place;
  }
};

/// Returns true for files in Python's library, which includes installed packages.
bool is_installed(std::string_view file) {
  return file.find("/lib/python3") != std::string_view::npos || file.starts_with("<frozen ");
}

ProgramPlace innermost_own(const Python& python) {
  ProgramPlace innermost;
  void* frame = python.innermost_frame();  // borrowed reference
  for (bool is_borrowed = true; frame != nullptr; is_borrowed = false) {
    ProgramPlace place = python.place_of(frame);
    void* const caller = python.caller_of(frame);
    if (!is_borrowed) python.release(frame);
    frame = caller;
    if (!is_installed(place.source.file)) {
      if (frame != nullptr) python.release(frame);
      return place;
    }
    if (innermost.source.file.empty()) innermost = std::move(place);
  }
  return innermost;
}

}  // namespace

std::shared_ptr<const ProgramPlace> python_place() {
  if (::dlsym(RTLD_DEFAULT, "Py_IsInitialized") == nullptr) return nullptr;
  static const Python& python = *new Python;
  if (!python.runs_in_this_thread()) return nullptr;
  const int state = python.take_lock();
  ProgramPlace place;
  // Attributes must not be read during an exception.
  if (python.error() == nullptr) place = innermost_own(python);
  python.release_lock(state);
  if (place.source.file.empty()) return nullptr;
  return std::make_shared<const ProgramPlace>(std::move(place));
}

}  // namespace warpwise::emulator::runtime
