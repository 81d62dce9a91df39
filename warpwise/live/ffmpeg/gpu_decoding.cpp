#include "warpwise/live/ffmpeg/gpu_decoding.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/sharing.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/ffmpeg/tags.hpp"
#include "warpwise/primitives/copy/copy.hpp"

// FFmpeg's header needs two opaque types of CUDA's header, and nothing else of it.
#ifndef CUDA_VERSION
#define CUDA_VERSION 0
using CUcontext = CUctx_st*;
using CUstream = CUstream_st*;
#endif
extern "C" {
#include <libavutil/hwcontext_cuda.h>
}

namespace warpwise::live::ffmpeg {
namespace {

// A codec by its number in the driver's interface.
struct GpuCodec {
  AVCodecID id;
  int number;
  bool is_compared;  // true if compared with the CPU's decoder: the bytes were equal
};
constexpr GpuCodec gpu_codecs[] = {
    {AV_CODEC_ID_MPEG1VIDEO, 0, false}, {AV_CODEC_ID_MPEG2VIDEO, 1, false},
    {AV_CODEC_ID_MPEG4, 2, false},      {AV_CODEC_ID_H264, 4, true},
    {AV_CODEC_ID_HEVC, 8, true},        {AV_CODEC_ID_VP8, 9, true},
    {AV_CODEC_ID_VP9, 10, true},        {AV_CODEC_ID_AV1, 11, false},
};

// The driver's answer about its decoders, in the layout of its function cuvidGetDecoderCaps().
struct Capabilities {
  int codec;
  int chroma;
  unsigned bits_above_8;
  unsigned reserved_in[3];
  unsigned char is_supported;
  unsigned char decoders;
  unsigned short output_formats;
  unsigned most_columns;
  unsigned most_rows;
  unsigned most_macroblocks;
  unsigned short least_columns;
  unsigned short least_rows;
  unsigned char has_histogram;
  unsigned char bits_of_counter;
  unsigned short most_bins;
  unsigned reserved_out[10];
};
constexpr int chroma_420 = 1;

const GpuCodec* gpu_codec(AVCodecID id) {
  const auto* const found =
      std::ranges::find_if(gpu_codecs, [=](const GpuCodec& each) { return each.id == id; });
  return found == std::end(gpu_codecs) ? nullptr : found;
}

// Returns FFmpeg's own decoder that leaves the work to CUDA; null if there is none. Skips wrappers
// of the driver's decoder, because these return frames in another order.
const AVCodec* decoder_with_cuda(AVCodecID id) {
  void* place = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&place)) {
    if (codec->id != id || av_codec_is_decoder(codec) == 0 || codec->wrapper_name != nullptr) {
      continue;
    }
    for (int i = 0; const AVCodecHWConfig* way = avcodec_get_hw_config(codec, i); ++i) {
      if (way->pix_fmt == AV_PIX_FMT_CUDA) return codec;
    }
  }
  return nullptr;
}

std::string size_of(unsigned columns, unsigned rows) {
  return std::to_string(columns) + "x" + std::to_string(rows);
}

// Returns the function of the driver; null if the driver's library is missing.
using Ask = int (*)(Capabilities*);
Ask driver_function() {
  static void* const library = dlopen("libnvcuvid.so.1", RTLD_NOW);
  return library == nullptr ? nullptr
                            : reinterpret_cast<Ask>(dlsym(library, "cuvidGetDecoderCaps"));
}

// Returns what the current GPU can do; nothing if the driver gives no answer.
std::optional<Capabilities> capabilities_for(AVCodecID codec) {
  gpu::current_context();  // the driver answers for the thread's context
  Capabilities has{};
  has.codec = gpu_codec(codec)->number;
  has.chroma = chroma_420;
  if (driver_function() == nullptr || driver_function()(&has) != 0) return std::nullopt;
  return has;
}

std::string why_not_by_driver(const AVCodecParameters& video) {
  if (driver_function() == nullptr) {
    return "the driver's libnvcuvid.so.1 is missing; in a container NVIDIA_DRIVER_CAPABILITIES "
           "needs video";
  }
  const std::optional<Capabilities> has = capabilities_for(video.codec_id);
  const std::string name = avcodec_get_name(video.codec_id);
  if (!has || has->is_supported == 0) return "the GPU decodes no " + name;
  const auto columns = static_cast<unsigned>(video.width);
  const auto rows = static_cast<unsigned>(video.height);
  if (columns < has->least_columns || rows < has->least_rows) {
    return "the GPU decodes " + name + " from " + size_of(has->least_columns, has->least_rows) +
           " on";
  }
  const bool are_too_many = (columns + 15) / 16 * ((rows + 15) / 16) > has->most_macroblocks;
  if (columns > has->most_columns || rows > has->most_rows || are_too_many) {
    return "the GPU decodes " + name + " up to " + size_of(has->most_columns, has->most_rows);
  }
  return {};
}

// Returns CUDA's frames if the decoder offers them. Without them the decoder fails.
AVPixelFormat choose_cuda(AVCodecContext* /*codec*/, const AVPixelFormat* offered) {
  while (*offered != AV_PIX_FMT_NONE && *offered != AV_PIX_FMT_CUDA) ++offered;
  return *offered;
}

void free_memory(void* buffer, std::uint8_t* /*data*/) { delete static_cast<gpu::Buffer*>(buffer); }

// Makes memory for a pool. FFmpeg, which calls this, passes no exception on.
AVBufferRef* new_memory(void* stream, std::size_t bytes) noexcept {
  try {
    auto memory = std::make_unique<gpu::Buffer>(static_cast<std::int64_t>(bytes),
                                                static_cast<gpu::StreamHandle>(stream));
    AVBufferRef* const made = av_buffer_create(reinterpret_cast<std::uint8_t*>(memory->data()),
                                               bytes, free_memory, memory.get(), 0);
    if (made != nullptr) static_cast<void>(memory.release());
    return made;
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

std::string why_not_by_gpu(const AVStream& video, const SourceOptions& options) {
  const AVCodecParameters& is = *video.codecpar;
  const std::string name = avcodec_get_name(is.codec_id);
  const GpuCodec* const codec = gpu_codec(is.codec_id);
  if (codec == nullptr) return "the GPU decodes no " + name;
  if (is.format != AV_PIX_FMT_YUV420P && is.format != AV_PIX_FMT_YUVJ420P) {
    const char* const pixels = av_get_pix_fmt_name(static_cast<AVPixelFormat>(is.format));
    return "the GPU's frames are 4:2:0 of 8 bits, not " +
           std::string(pixels == nullptr ? "unknown" : pixels);
  }
  if (is.width % 2 != 0 || is.height % 2 != 0) return "the GPU's frames have even sides";
  if (options.deinterlace) return "--deinterlace needs frames on the host";
  if (options.rescale) return "--rescale needs frames on the host";
  if (options.decode == Decode::automatic) {
    if (!codec->is_compared) return "the GPU's frames of " + name + " may differ from the CPU's";
    if (options.autorotate && orientation_of(*new_frame(), video) != 1) {
      return "its frames are turned on the host";
    }
  }
  if (decoder_with_cuda(is.codec_id) == nullptr) return "this FFmpeg has no " + name + " by CUDA";
  return why_not_by_driver(is);
}

void open_codec(AVCodecContext& codec, const AVStream& video) {
  int error = avcodec_parameters_to_context(&codec, video.codecpar);
  codec.pkt_timebase = video.time_base;
  if (error >= 0) error = avcodec_open2(&codec, nullptr, nullptr);
  if (error < 0) throw IoError(reason_of(error));
}

GpuDecoding::GpuDecoding() : device_(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA)) {
  if (!device_) throw IoError("this FFmpeg has no CUDA");
  const auto* device = reinterpret_cast<const AVHWDeviceContext*>(device_->data);
  auto* cuda = static_cast<AVCUDADeviceContext*>(device->hwctx);
  cuda->cuda_ctx = gpu::current_context();
  cuda->stream = stream_;
  const int error = av_hwdevice_ctx_init(device_.get());
  if (error < 0) throw IoError("FFmpeg does not start CUDA: " + reason_of(error));
}

Codec GpuDecoding::open(const AVStream& video) const {
  Codec codec(avcodec_alloc_context3(decoder_with_cuda(video.codecpar->codec_id)));
  if (!codec) throw std::bad_alloc();
  codec->hw_device_ctx = av_buffer_ref(device_.get());
  if (codec->hw_device_ctx == nullptr) throw std::bad_alloc();
  codec->get_format = choose_cuda;
  codec->thread_count =
      1;  // FFmpeg 5.1 crashes where several threads share a decoder that begins anew
  codec->extra_hw_frames = 2;  // kept by the reader: the frame that is read, and the one shown now
  open_codec(*codec, video);
  return codec;
}

AVBufferRef* GpuDecoding::memory_for(std::size_t bytes) {
  if (pool_bytes_ != bytes) {
    pool_.reset(av_buffer_pool_init2(bytes, stream_, new_memory, nullptr));
    pool_bytes_ = bytes;
  }
  AVBufferRef* const memory = pool_ ? av_buffer_pool_get(pool_.get()) : nullptr;
  if (memory == nullptr) throw CudaError("the GPU has no memory for a frame");
  return memory;
}

Frame GpuDecoding::own_copy(const AVFrame& frame) {
  const io::PictureShape shape = io::PictureShape::of(PixelFormat::nv12, frame.width, frame.height);
  Frame own = new_frame();
  own->format = frame.format;
  own->width = frame.width;
  own->height = frame.height;
  own->buf[0] = memory_for(static_cast<std::size_t>(shape.bytes()));
  own->data[0] = own->buf[0]->data;
  own->data[1] = own->data[0] + shape.width * shape.height;
  own->linesize[0] = frame.width;
  own->linesize[1] = static_cast<int>(plane_row_bytes(PixelFormat::nv12, 1, frame.width));
  own->hw_frames_ctx = av_buffer_ref(frame.hw_frames_ctx);
  if (own->hw_frames_ctx == nullptr || av_frame_copy_props(own.get(), &frame) < 0) {
    throw std::bad_alloc();
  }
  copy(frame, PixelFormat::nv12, reinterpret_cast<std::byte*>(own->data[0]));
  return own;
}

void GpuDecoding::copy(const AVFrame& frame, PixelFormat format, std::byte* to) const {
  std::vector<ConstDeviceView> planes;
  std::vector<DeviceView> copies;
  for (int p = 0; p < plane_count(format); ++p) {
    const std::int64_t columns = plane_row_bytes(format, p, frame.width);
    const std::int64_t rows = plane_rows(format, p, frame.height);
    planes.emplace_back(reinterpret_cast<const std::byte*>(frame.data[p]), ElementType::u8, columns,
                        rows, 1, frame.linesize[p]);
    copies.emplace_back(to, ElementType::u8, columns, rows);
    to += columns * rows;
  }
  warpwise::copy(planes, copies, stream_);
  stream_.synchronize();
}

Frame GpuDecoding::download(const AVFrame& frame) {
  Frame host = new_frame();
  host->format = pixels_of(frame);
  const int error = av_hwframe_transfer_data(host.get(), &frame, 0);
  if (error < 0) throw IoError("a frame cannot be copied from the GPU: " + reason_of(error));
  return host;
}

}  // namespace warpwise::live::ffmpeg
