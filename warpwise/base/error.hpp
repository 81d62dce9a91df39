#pragma once

#include <stdexcept>
#include <string>

#include "warpwise/base/export.hpp"

namespace warpwise {

/// Base of every exception that Warpwise throws.
class WARPWISE_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A view, an option or a combination of them is not valid. The message states the actual and the
/// expected value.
class WARPWISE_EXPORT InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// CUDA was asked for, but there is no GPU, no driver, or no CUDA in this build.
class WARPWISE_EXPORT NoCudaDevice : public Error {
 public:
  using Error::Error;
};

/// A CUDA call failed; the message names the call, its file and line, and the runtime's own text.
class WARPWISE_EXPORT CudaError : public Error {
 public:
  using Error::Error;
};

/// More memory was requested than there is. The message states both numbers.
class WARPWISE_EXPORT OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// Something valid that Warpwise does not support. The message names it with its place.
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
