#pragma once

#include <string>

namespace warpwise::live::gl {

/// A context of OpenGL 3.3 without a window or a screen: of the GPU that is CUDA's current device
/// where that draws, else of the first GPU or driver that does.
class Context {
 public:
  /// It is then current on the calling thread. \throws IoError  there is no such driver.
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Makes it the calling thread's, until that thread ends or release() is called there: it is
  /// current on one thread at a time. \throws IoError  it is current on another one, or the driver
  /// refuses
  void make_current() const;
  static void release();

  /// \throws IoError  what the current context draws is lost, as after a reset of the GPU. Drivers
  /// that cannot tell say nothing.
  static void require_alive();

  /// What draws, when it is current: "llvmpipe (LLVM 15.0.6, 256 bits)".
  static std::string renderer();

 private:
  bool try_make_current() const;

  void* display_;
  void* context_;
};

}  // namespace warpwise::live::gl
