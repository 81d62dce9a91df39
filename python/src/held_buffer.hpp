#pragma once

#include <Python.h>

namespace warpwise::python {

/// A buffer that is given back.
struct HeldBuffer {
  Py_buffer it{};  ///< held where it.obj is not null

  HeldBuffer() = default;
  ~HeldBuffer() {
    if (it.obj != nullptr) PyBuffer_Release(&it);
  }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;
};

}  // namespace warpwise::python
