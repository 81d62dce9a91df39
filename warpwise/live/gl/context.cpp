#include "warpwise/live/gl/context.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <algorithm>
#include <array>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::live::gl {
namespace {

// Initialises EGL's state of a thread (API and current context). The destructor releases the
// context, so that another thread can use it.
struct Thread {
  Thread() { eglBindAPI(EGL_OPENGL_API); }
  ~Thread() { eglReleaseThread(); }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
};

void begin_thread() { thread_local const Thread thread; }

template <class Function>
Function function_named(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

bool is_current_device_of_cuda(EGLDeviceEXT device) {
  const auto query = function_named<PFNEGLQUERYDEVICEATTRIBEXTPROC>("eglQueryDeviceAttribEXT");
  EGLAttrib number = -1;
  return query != nullptr && query(device, EGL_CUDA_DEVICE_NV, &number) == EGL_TRUE &&
         gpu::device_count() > 0 && number == gpu::current_device();
}

std::vector<EGLDeviceEXT> all_devices() {
  const auto query = function_named<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  EGLint count = 0;
  if (query == nullptr || query(0, nullptr, &count) != EGL_TRUE) return {};
  std::vector<EGLDeviceEXT> devices(static_cast<std::size_t>(count));
  if (query(count, devices.data(), &count) != EGL_TRUE) return {};
  std::partition(devices.begin(), devices.end(), is_current_device_of_cuda);
  return devices;
}

EGLContext context_on(EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) {
    return EGL_NO_CONTEXT;
  }
  // First asks for a context that reports a reset of the GPU. Without the reset strategy, a driver
  // that lost its contents returns black frames and no error. Some drivers refuse the strategy.
  constexpr std::array<EGLint, 9> core_3_3 = {EGL_CONTEXT_MAJOR_VERSION,
                                              3,
                                              EGL_CONTEXT_MINOR_VERSION,
                                              3,
                                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                              EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                                              EGL_LOSE_CONTEXT_ON_RESET,
                                              EGL_NONE};
  EGLContext context =
      eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, core_3_3.data());
  if (context != EGL_NO_CONTEXT) return context;
  auto without_strategy = core_3_3;
  without_strategy[6] = EGL_NONE;
  return eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, without_strategy.data());
}

}  // namespace

// Displays are never terminated, because that would end all other contexts of the same GPU.
Context::Context() : display_(EGL_NO_DISPLAY), context_(EGL_NO_CONTEXT) {
  begin_thread();
  for (EGLDeviceEXT device : all_devices()) {
    display_ = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
    context_ = context_on(display_);
    if (context_ == EGL_NO_CONTEXT) continue;
    if (try_make_current()) return;
    eglDestroyContext(display_, context_);
  }
  throw IoError(
      "no driver can draw with OpenGL 3.3 without a screen; install the GPU's driver, or "
      "libegl-mesa0 and libgl1-mesa-dri, which need no GPU");
}

Context::~Context() {
  begin_thread();
  if (eglGetCurrentContext() == context_) release();
  eglDestroyContext(display_, context_);
}

bool Context::try_make_current() const {
  begin_thread();
  return eglGetCurrentContext() == context_ ||
         eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE;
}

void Context::make_current() const {
  if (try_make_current()) return;
  const EGLint error = eglGetError();
  throw IoError(error == EGL_BAD_ACCESS ? "another thread still draws with this OpenGL context"
                                        : "OpenGL's driver does not let this thread draw (error " +
                                              std::to_string(error) + ")");
}

void Context::release() {
  begin_thread();
  const EGLDisplay display = eglGetCurrentDisplay();
  if (display != EGL_NO_DISPLAY) {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  }
}

void Context::require_alive() {
  if (glGetGraphicsResetStatus() == GL_NO_ERROR) return;
  throw IoError(
      "OpenGL's driver lost its context: the GPU was reset after a fault of this program or of "
      "another one (the kernel's log may say more)");
}

std::string Context::renderer() {
  const auto* const text = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return text == nullptr ? "OpenGL" : text;
}

}  // namespace warpwise::live::gl
