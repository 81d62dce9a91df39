// Buffers of OpenGL. Mapping a buffer copies it, because the program's OpenGL has its own memory.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "warpwise/emulator/runtime/code/registry.hpp"

using namespace warpwise::emulator::runtime;

// Definition of the runtime's opaque type.
struct cudaGraphicsResource {
  unsigned buffer = 0;
  std::size_t bytes = 0;
  void* mapped = nullptr;
};

namespace {

// OpenGL's constants. The program loads OpenGL; this library does not depend on it.
constexpr unsigned gl_version = 0x1F02;
constexpr unsigned gl_copy_write_buffer = 0x8F37;  // a binding that programs rarely use
constexpr unsigned gl_buffer_size = 0x8764;

struct OpenGl {
  const unsigned char* (*get_string)(unsigned name) = nullptr;
  void (*bind_buffer)(unsigned target, unsigned buffer) = nullptr;
  void (*get_size)(unsigned target, unsigned name, std::int64_t* value) = nullptr;
  void (*get_bytes)(unsigned target, std::ptrdiff_t from, std::ptrdiff_t bytes, void* to) = nullptr;
  void (*set_bytes)(unsigned target, std::ptrdiff_t to, std::ptrdiff_t bytes,
                    const void* from) = nullptr;

  OpenGl() {
    void* const library = ::dlopen("libOpenGL.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto find = [library](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    };
    find(get_string, "glGetString");
    find(bind_buffer, "glBindBuffer");
    find(get_size, "glGetBufferParameteri64v");
    find(get_bytes, "glGetBufferSubData");
    find(set_bytes, "glBufferSubData");
  }

  bool is_current() const { return get_string != nullptr && get_string(gl_version) != nullptr; }
};

const OpenGl& opengl() {
  static const OpenGl functions;
  return functions;
}

cudaError_t map(cudaGraphicsResource& resource) {
  if (resource.mapped != nullptr) return cudaErrorAlreadyMapped;
  const cudaError_t error = cudaMalloc(&resource.mapped, resource.bytes);
  if (error != cudaSuccess) return error;
  opengl().bind_buffer(gl_copy_write_buffer, resource.buffer);
  opengl().get_bytes(gl_copy_write_buffer, 0, static_cast<std::ptrdiff_t>(resource.bytes),
                     host_of(resource.mapped, resource.bytes));
  opengl().bind_buffer(gl_copy_write_buffer, 0);
  return cudaSuccess;
}

cudaError_t unmap(cudaGraphicsResource& resource) {
  if (resource.mapped == nullptr) return cudaErrorNotMapped;
  opengl().bind_buffer(gl_copy_write_buffer, resource.buffer);
  opengl().set_bytes(gl_copy_write_buffer, 0, static_cast<std::ptrdiff_t>(resource.bytes),
                     host_of(resource.mapped, resource.bytes));
  opengl().bind_buffer(gl_copy_write_buffer, 0);
  return cudaFree(std::exchange(resource.mapped, nullptr));
}

template <class Work>
cudaError_t for_each(int count, cudaGraphicsResource_t* resources, const Work& work) {
  if (!opengl().is_current()) return report(cudaErrorInvalidGraphicsContext);
  for (int i = 0; i < count; ++i) {
    const cudaError_t error = work(*resources[i]);
    if (error != cudaSuccess) return report(error);
  }
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned capacity, int) {
  *count = 0;
  if (!opengl().is_current()) return report(cudaErrorInvalidGraphicsContext);
  if (capacity > 0) devices[(*count)++] = 0;
  return cudaSuccess;
}

cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t* resource, unsigned buffer,
                                         unsigned) {
  if (!opengl().is_current()) return report(cudaErrorInvalidGraphicsContext);
  std::int64_t bytes = 0;
  opengl().bind_buffer(gl_copy_write_buffer, buffer);
  opengl().get_size(gl_copy_write_buffer, gl_buffer_size, &bytes);
  opengl().bind_buffer(gl_copy_write_buffer, 0);
  if (bytes <= 0) return report(cudaErrorInvalidValue);
  *resource = new cudaGraphicsResource{buffer, static_cast<std::size_t>(bytes)};
  return cudaSuccess;
}

cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
  delete resource;
  return cudaSuccess;
}

cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources,
                                     cudaStream_t stream) {
  if (const cudaError_t refused = refuse_stream(stream); refused != cudaSuccess) return refused;
  return for_each(count, resources, map);
}

cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources,
                                       cudaStream_t stream) {
  if (const cudaError_t refused = refuse_stream(stream); refused != cudaSuccess) return refused;
  return for_each(count, resources, unmap);
}

cudaError_t cudaGraphicsResourceGetMappedPointer(void** pointer, size_t* bytes,
                                                 cudaGraphicsResource_t resource) {
  if (resource->mapped == nullptr) return report(cudaErrorNotMapped);
  *pointer = resource->mapped;
  *bytes = resource->bytes;
  return cudaSuccess;
}

}  // extern "C"
