#pragma once

#include <stdexcept>
#include <string>

#include "warpwise/base/export.hpp"

namespace warpwise {

/// Base of Warpwise's exceptions. Calls may also throw std::bad_alloc.
class WARPWISE_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A view, an option or a combination of them is not valid. The message says what is wrong.
class WARPWISE_EXPORT InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// CUDA was asked for, but there is no usable GPU or driver, or no CUDA in this build.
class WARPWISE_EXPORT NoCudaDevice : public Error {
 public:
  using Error::Error;
};

/// A CUDA call failed, or the driver lacks a function. The message names it, and gives CUDA's text.
class WARPWISE_EXPORT CudaError : public Error {
 public:
  using Error::Error;
};

/// More memory was requested than there is. The message names the purpose of the memory.
class WARPWISE_EXPORT OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// Something valid that Warpwise, or this machine, does not support. The message names it.
class WARPWISE_EXPORT Unsupported : public Error {
 public:
  using Error::Error;
};

/// A file or a pipe could not be read or written.
class WARPWISE_EXPORT IoError : public Error {
 public:
  using Error::Error;
};

}  // namespace warpwise
