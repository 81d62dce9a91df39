#pragma once

#include <string>

namespace warpwise::live::gl {

/// An OpenGL 3.3 context without a window or a screen. It is on CUDA's current device if that can
/// draw, otherwise on the first GPU or software driver that can.
class Context {
 public:
  /// Makes the new context current on the calling thread. \throws IoError  no driver offers one.
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Makes the context current on the calling thread, until that thread ends or calls release(). A
  /// context is current on one thread at a time. \throws IoError  it is current on another thread,
  /// or the driver refuses
  void make_current() const;
  static void release();

  /// Checks the current context. \throws IoError  it has lost its contents, for example by a reset
  /// of the GPU. Some drivers cannot report this.
  static void require_alive();

  /// Returns the name of the current context's renderer: "llvmpipe (LLVM 15.0.6, 256 bits)".
  static std::string renderer();

 private:
  bool try_make_current() const;

  void* display_;
  void* context_;
};

}  // namespace warpwise::live::gl
