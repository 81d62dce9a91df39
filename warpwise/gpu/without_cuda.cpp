// Stands in for the rest of this folder in a build without a CUDA toolkit: there is no device, and
// whatever needs one says why.

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/gpu/stream.hpp"

namespace warpwise::gpu {
namespace {

[[noreturn]] void refuse() { throw NoCudaDevice(why_no_device()); }

}  // namespace

int device_count() noexcept { return 0; }
std::string why_no_device() { return "no CUDA device: this build of Warpwise has no CUDA path"; }
void require_device() { refuse(); }
DeviceInfo device_info(int) { refuse(); }
void set_device(int) { refuse(); }
void synchronize_device() { refuse(); }

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
DeviceImage::DeviceImage(ElementType type, std::int64_t width, std::int64_t height, int channels,
                         StreamHandle stream)
    : width_(width), height_(height), pitch_bytes_(0), channels_(channels), type_(type),
      buffer_(0, stream) {}
void upload(const void*, std::byte*, std::int64_t, StreamHandle) { refuse(); }
void download(const std::byte*, void*, std::int64_t, StreamHandle) { refuse(); }
void upload(ConstHostView, DeviceView, StreamHandle) { refuse(); }
void download(ConstDeviceView, HostView, StreamHandle) { refuse(); }

Graph::Graph(const std::function<void(StreamHandle)>&) { refuse(); }
Graph::~Graph() = default;
Graph& Graph::operator=(Graph&&) noexcept { return *this; }
void Graph::launch(StreamHandle) const { refuse(); }

}  // namespace warpwise::gpu
