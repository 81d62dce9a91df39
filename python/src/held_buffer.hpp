#pragma once

#include <Python.h>

namespace warpwise::python {

/// Owns a Python buffer and releases it.
struct HeldBuffer {
  Py_buffer it{};  ///< held if it.obj is not null

  HeldBuffer() = default;
  ~HeldBuffer() {
    if (it.obj != nullptr) PyBuffer_Release(&it);
  }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;
};

}  // namespace warpwise::python
