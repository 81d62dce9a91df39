// Replaces this folder's other sources in a build without a CUDA toolkit. There is no device, and
// every function that needs one says why.

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/gl_buffer.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/gpu/module.hpp"
#include "warpwise/gpu/partition.hpp"
#include "warpwise/gpu/sharing.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/gpu/texture.hpp"

namespace warpwise::gpu {
namespace {

[[noreturn]] void refuse() { throw NoCudaDevice(why_no_device()); }

}  // namespace

int device_count() noexcept { return 0; }
std::string why_no_device() { return "no CUDA device: this build of Warpwise has no CUDA path"; }
void require_device() { refuse(); }
DeviceInfo device_info(int) { refuse(); }
void set_device(int) { refuse(); }
int current_device() { refuse(); }
std::int64_t free_memory_bytes() { refuse(); }
void synchronize_device() { refuse(); }

void order(StreamHandle, StreamHandle) { refuse(); }
int device_of(const void*) { refuse(); }
ContextHandle current_context() { refuse(); }

Stream::Stream() { refuse(); }
Stream::~Stream() = default;
Stream& Stream::operator=(Stream&&) noexcept { return *this; }
void Stream::synchronize() const { refuse(); }

Event::Event() { refuse(); }
Event::~Event() = default;
Event& Event::operator=(Event&&) noexcept { return *this; }
void Event::record(StreamHandle) { refuse(); }
void Event::synchronize() const { refuse(); }
double Event::microseconds_since(const Event&) const { refuse(); }

Buffer::Buffer(std::int64_t, StreamHandle) { refuse(); }
Buffer::~Buffer() = default;
Buffer::Buffer(Buffer&&) noexcept = default;
Buffer& Buffer::operator=(Buffer&&) noexcept = default;
HostBuffer::HostBuffer(std::int64_t) { refuse(); }
HostBuffer::~HostBuffer() = default;
HostBuffer::HostBuffer(HostBuffer&&) noexcept = default;
HostBuffer& HostBuffer::operator=(HostBuffer&&) noexcept = default;
DeviceImage::DeviceImage(ElementType type, std::int64_t width, std::int64_t height, int channels,
                         StreamHandle stream)
    : width_(width), height_(height), pitch_bytes_(0), channels_(channels), type_(type),
      buffer_(0, stream) {}
void upload(const void*, std::byte*, std::int64_t, StreamHandle) { refuse(); }
void download(const std::byte*, void*, std::int64_t, StreamHandle) { refuse(); }
void copy_bytes(const std::byte*, std::byte*, std::int64_t, StreamHandle) { refuse(); }
void fill_bytes(std::byte*, std::uint8_t, std::int64_t, StreamHandle) { refuse(); }
void upload(ConstHostView, DeviceView, StreamHandle) { refuse(); }
void download(ConstDeviceView, HostView, StreamHandle) { refuse(); }

Graph::Graph(const std::function<void(StreamHandle)>&) { refuse(); }
Graph::~Graph() = default;
Graph& Graph::operator=(Graph&&) noexcept { return *this; }
void Graph::launch(StreamHandle) const { refuse(); }

std::string why_no_gl_sharing() { return why_no_device(); }
GlBuffer::GlBuffer(unsigned) { refuse(); }
GlBuffer::~GlBuffer() = default;
void GlBuffer::read(std::byte*, std::int64_t, StreamHandle) { refuse(); }
void GlBuffer::write(const std::byte*, std::int64_t, StreamHandle) { refuse(); }

Module::Module(const std::string&) { refuse(); }
Module::~Module() = default;
Module& Module::operator=(Module&&) noexcept { return *this; }
Kernel Module::kernel(const std::string&) const { refuse(); }
KernelAttributes Kernel::attributes() const { refuse(); }
int Kernel::blocks_per_sm(int, std::uint64_t) const { refuse(); }
void Kernel::launch(std::span<const std::uint32_t, 3>, std::span<const std::uint32_t, 3>,
                    std::uint64_t, std::span<const std::byte>, StreamHandle) const {
  refuse();
}

Part::~Part() = default;
Part::Part(Part&&) noexcept = default;
Part& Part::operator=(Part&&) noexcept = default;
struct Partition::Made {
  Part first;
  Part rest;
};
Partition::Partition(Made made) : first_(std::move(made.first)), rest_(std::move(made.rest)) {}
Partition::Made Partition::make(int) { refuse(); }
Partition::Partition(int multiprocessors) : Partition(make(multiprocessors)) {}

Texture::Texture(const TextureDescription&) { refuse(); }
Texture::~Texture() = default;
Texture& Texture::operator=(Texture&&) noexcept { return *this; }

}  // namespace warpwise::gpu
