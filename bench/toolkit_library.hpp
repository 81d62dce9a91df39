#pragma once

#include <initializer_list>
#include <string>

#include "warpwise/base/error.hpp"

// Libraries of the machine's own CUDA toolkit, the peers of the GPU benches. The build does not
// depend on them: they are loaded when a bench asks for them.
namespace warpwise::bench {

/// A shared library that stays loaded.
class ToolkitLibrary {
 public:
  /// \param what   the library's name in messages
  /// \param files  names of its versions, in the order to try. The loader looks up each one; then
  ///               it is looked up beside the NVRTC of the toolkits that are found.
  /// \throws Error  none can be loaded
  ToolkitLibrary(std::string what, std::initializer_list<const char*> files);

  /// Returns the function of that name. \throws Error  the library has none
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

  /// \throws Error  the status is not 0, which is success in all these libraries
  void check(int status, const char* call) const;

 private:
  void* symbol(const char* name) const;

  std::string what_;
  void* handle_ = nullptr;
};

}  // namespace warpwise::bench
