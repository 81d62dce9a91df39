#pragma once

#include <initializer_list>
#include <string>

#include "warpwise/base/error.hpp"

// Loads libraries of the machine's own CUDA toolkit, with which the GPU benches compare. They are
// loaded when a bench asks for them, so the build does not depend on them.
namespace warpwise::bench {

/// A shared library that stays loaded.
class ToolkitLibrary {
 public:
  /// \param what   the library's name in messages
  /// \param files  names of the library's versions, in the order to try. Each is searched by the
  ///               loader, then beside the NVRTC of the toolkits that are found.
  /// \throws Error  none of the files can be loaded
  ToolkitLibrary(std::string what, std::initializer_list<const char*> files);

  /// Returns the function of that name. \throws Error  the library has no such function
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

  /// \throws Error  the status is not 0, which means success in all these libraries
  void check(int status, const char* call) const;

 private:
  void* symbol(const char* name) const;

  std::string what_;
  void* handle_ = nullptr;
};

}  // namespace warpwise::bench
