#pragma once

#include <stdexcept>
#include <string>

namespace warpwise {

/// Base of every exception that Warpwise throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A view, an option or a combination of them that has no meaning; the message states the actual
/// and the expected value.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// The CUDA path was asked for where there is no GPU, no driver, or no CUDA in this build.
class NoCudaDevice : public Error {
 public:
  using Error::Error;
};

/// A CUDA call failed; the message names the call, its place and the runtime's own text.
class CudaError : public Error {
 public:
  using Error::Error;
};

/// More memory was asked for than there is; the message states both numbers.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// Something valid that Warpwise does not do, named with its place.
class Unsupported : public Error {
 public:
  using Error::Error;
};

/// A file or a pipe could not be read or written.
class IoError : public Error {
 public:
  using Error::Error;
};

}  // namespace warpwise
