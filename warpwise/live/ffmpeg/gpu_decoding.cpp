#include "warpwise/live/ffmpeg/gpu_decoding.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/sharing.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/ffmpeg/tags.hpp"
#include "warpwise/primitives/convert/deep.hpp"
#include "warpwise/primitives/convert/share_chroma.hpp"
#include "warpwise/primitives/copy/copy.hpp"

// FFmpeg's header needs only two opaque types of CUDA's header.
#ifndef CUDA_VERSION
#define CUDA_VERSION 0
using CUcontext = CUctx_st*;
using CUstream = CUstream_st*;
#endif
extern "C" {
#include <libavutil/hwcontext_cuda.h>
#include <libavutil/imgutils.h>
}

namespace warpwise::live::ffmpeg {
namespace {

// A codec and its number in the driver's interface. The other members say for which frames tests
// have compared the decoders: the GPU's frames had the same bytes as the CPU's.
struct GpuCodec {
  AVCodecID id;
  int number;
  int compared_bits;  // of a sample; 0 if the bytes were not compared
  bool is_444_compared = false;
};
constexpr GpuCodec gpu_codecs[] = {
    {AV_CODEC_ID_MPEG1VIDEO, 0, 0}, {AV_CODEC_ID_MPEG2VIDEO, 1, 0},  {AV_CODEC_ID_MPEG4, 2, 0},
    {AV_CODEC_ID_H264, 4, 8},       {AV_CODEC_ID_HEVC, 8, 12, true}, {AV_CODEC_ID_VP8, 9, 8},
    {AV_CODEC_ID_VP9, 10, 12},      {AV_CODEC_ID_AV1, 11, 0},
};

// Question to the driver and its answer about a decoder, laid out as cuvidGetDecoderCaps() expects.
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
constexpr int chroma_444 = 3;

const GpuCodec* gpu_codec(AVCodecID id) {
  const auto* const found =
      std::ranges::find_if(gpu_codecs, [=](const GpuCodec& each) { return each.id == id; });
  return found == std::end(gpu_codecs) ? nullptr : found;
}

// Returns FFmpeg's own decoder that leaves the work to CUDA; null if there is none. Skips wrappers
// of the driver's decoder, because wrappers return frames in another order.
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

// Chroma subsampling and bits of a video, in the numbers of the driver's interface.
struct GpuPixels {
  int chroma;
  int bits;
};

// Returns the driver's numbers for pixels; nullopt for pixels that FFmpeg cannot take from a GPU.
std::optional<GpuPixels> gpu_pixels(int pixels) {
  const AVPixFmtDescriptor* const is = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(pixels));
  if (is == nullptr || is->nb_components != 3 || (is->flags & AV_PIX_FMT_FLAG_PLANAR) == 0 ||
      (is->flags & AV_PIX_FMT_FLAG_RGB) != 0 || is->log2_chroma_w != is->log2_chroma_h) {
    return std::nullopt;
  }
  const int bits = is->comp[0].depth;
  if (is->log2_chroma_w > 1 || (bits != 8 && bits != 10 && bits != 12)) return std::nullopt;
  return GpuPixels{is->log2_chroma_w == 1 ? chroma_420 : chroma_444, bits};
}

bool is_compared(const GpuCodec& codec, const GpuPixels& pixels) {
  return pixels.bits <= codec.compared_bits &&
         (pixels.chroma == chroma_420 || codec.is_444_compared);
}

std::string size_of(unsigned columns, unsigned rows) {
  return std::to_string(columns) + "x" + std::to_string(rows);
}

// Returns the driver's cuvidGetDecoderCaps(); null if the driver's library is missing.
using Ask = int (*)(Capabilities*);
Ask driver_function() {
  static void* const library = dlopen("libnvcuvid.so.1", RTLD_NOW);
  return library == nullptr ? nullptr
                            : reinterpret_cast<Ask>(dlsym(library, "cuvidGetDecoderCaps"));
}

// Returns what the current GPU can decode; nullopt if the driver gives no answer.
std::optional<Capabilities> capabilities_for(const GpuCodec& codec, const GpuPixels& pixels) {
  gpu::current_context();  // sets the thread's context, for which the driver answers
  Capabilities has{};
  has.codec = codec.number;
  has.chroma = pixels.chroma;
  has.bits_above_8 = static_cast<unsigned>(pixels.bits - 8);
  if (driver_function() == nullptr || driver_function()(&has) != 0) return std::nullopt;
  return has;
}

// Names a video's codec, and pixels other than 4:2:0 of 8 bits: "hevc in yuv420p10le".
std::string kind_of(const AVCodecParameters& video) {
  const std::string name = avcodec_get_name(video.codec_id);
  const bool is_usual = video.format == AV_PIX_FMT_YUV420P || video.format == AV_PIX_FMT_YUVJ420P;
  return is_usual ? name : name + " in " + name_of_pixels(video.format);
}

std::string why_not_by_driver(const AVCodecParameters& video) {
  if (driver_function() == nullptr) {
    return "the driver's libnvcuvid.so.1 is missing; in a container NVIDIA_DRIVER_CAPABILITIES "
           "needs video";
  }
  const std::optional<Capabilities> has =
      capabilities_for(*gpu_codec(video.codec_id), *gpu_pixels(video.format));
  const std::string name = kind_of(video);
  if (!has || has->is_supported == 0) return "the GPU decodes no " + name;
  const auto columns = static_cast<unsigned>(video.width);
  const auto rows = static_cast<unsigned>(video.height);
  if (columns < has->least_columns || rows < has->least_rows) {
    return "the GPU decodes " + name + " only from a size of " +
           size_of(has->least_columns, has->least_rows);
  }
  const bool are_too_many = (columns + 15) / 16 * ((rows + 15) / 16) > has->most_macroblocks;
  if (columns > has->most_columns || rows > has->most_rows || are_too_many) {
    return "the GPU decodes " + name + " up to " + size_of(has->most_columns, has->most_rows);
  }
  return {};
}

// Chooses CUDA's pixel format if the decoder offers it. Otherwise returns AV_PIX_FMT_NONE, so that
// the decoder fails.
AVPixelFormat choose_cuda(AVCodecContext* /*codec*/, const AVPixelFormat* offered) {
  while (*offered != AV_PIX_FMT_NONE && *offered != AV_PIX_FMT_CUDA) ++offered;
  return *offered;
}

using DeepPixels = io::PixelsOf<Memory::device, Access::read_write>;

std::vector<ConstDeviceView> planes_of(const AVFrame& frame) {
  const auto pixels = static_cast<AVPixelFormat>(pixels_of(frame));
  const AVPixFmtDescriptor& is = *av_pix_fmt_desc_get(pixels);
  const ElementType type = is.comp[0].depth > 8 ? ElementType::u16 : ElementType::u8;
  std::vector<ConstDeviceView> planes;
  for (int i = 0; i < av_pix_fmt_count_planes(pixels); ++i) {
    const int width = AV_CEIL_RSHIFT(frame.width, i > 0 ? is.log2_chroma_w : 0);
    const int height = AV_CEIL_RSHIFT(frame.height, i > 0 ? is.log2_chroma_h : 0);
    planes.emplace_back(frame.data[i], type, width, height, is.comp[i].step / size_of(type),
                        frame.linesize[i]);
  }
  return planes;
}

// Copies the planes of a frame to `to`, one after another without gaps.
void copy_planes(const AVFrame& frame, std::byte* to, gpu::StreamHandle stream) {
  const std::vector<ConstDeviceView> planes = planes_of(frame);
  std::vector<DeviceView> copies;
  for (const ConstDeviceView& plane : planes) {
    copies.emplace_back(to, plane.type(), plane.width(), plane.height(), plane.channels());
    to += plane.row_bytes() * plane.height();
  }
  warpwise::copy(planes, copies, stream);
}

ConstDeviceFrame frame_of_444(const AVFrame& frame) {
  std::array<ConstDeviceFrame::Plane, 3> planes;
  for (int i = 0; i < 3; ++i) {
    planes[static_cast<std::size_t>(i)] = {reinterpret_cast<const std::byte*>(frame.data[i]),
                                           frame.linesize[i]};
  }
  return {PixelFormat::i444, frame.width, frame.height, planes};
}

void free_memory(void* buffer, std::uint8_t* /*data*/) { delete static_cast<gpu::Buffer*>(buffer); }

// Makes memory for a pool. FFmpeg calls this function, so no exception may leave it.
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
  const std::optional<GpuPixels> pixels = gpu_pixels(is.format);
  if (!pixels) {
    return "the GPU's frames are 4:2:0 or 4:4:4 of 8, 10 or 12 bits, not " +
           name_of_pixels(is.format);
  }
  if (is.width % 2 != 0 || is.height % 2 != 0)
    return "the GPU decodes only frames of even width and height";
  if (options.deinterlace) return "--deinterlace needs frames on the host";
  if (options.rescale) return "--rescale needs frames on the host";
  if (options.decode == Decode::automatic) {
    if (!is_compared(*codec, *pixels)) {
      return "the GPU's frames of " + kind_of(is) + " may differ from the CPU's";
    }
    if (options.autorotate && orientation_of(*new_frame(), video) != 1) {
      return "its frames are turned on the host";
    }
  }
  if (decoder_with_cuda(is.codec_id) == nullptr)
    return "this FFmpeg has no CUDA decoder for " + name;
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
      1;  // FFmpeg 5.1 crashes if several threads share a decoder that is made again
  codec->extra_hw_frames = 2;  // the reader keeps two frames: the one read and the one shown
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

Frame GpuDecoding::copy_to_pool(const AVFrame& frame) {
  const auto pixels = static_cast<AVPixelFormat>(pixels_of(frame));
  Frame own = new_frame();
  own->format = frame.format;
  own->width = frame.width;
  own->height = frame.height;
  const int bytes = av_image_get_buffer_size(pixels, frame.width, frame.height, 1);
  own->buf[0] = memory_for(static_cast<std::size_t>(bytes));
  av_image_fill_arrays(own->data, own->linesize, own->buf[0]->data, pixels, frame.width,
                       frame.height, 1);
  own->hw_frames_ctx = av_buffer_ref(frame.hw_frames_ctx);
  if (own->hw_frames_ctx == nullptr || av_frame_copy_props(own.get(), &frame) < 0) {
    throw std::bad_alloc();
  }
  copy_planes(frame, reinterpret_cast<std::byte*>(own->data[0]), stream_);
  stream_.synchronize();
  return own;
}

void GpuDecoding::copy(const AVFrame& frame, const Stream& stream, std::byte* to) const {
  const io::PictureShape& shape = stream.shape;
  if (shape.planes) {
    const Range range = stream.colours.range.value;
    convert_deep(planes_of(frame), views_of(DeepPixels{shape, to}),
                 {.from_range = range, .to_range = range, .from_bits = stream.depth}, stream_);
  } else if (shape.format == PixelFormat::ycbcr32) {
    share_chroma(frame_of_444(frame), {to, *shape.format, shape.width, shape.height}, stream_);
  } else {
    copy_planes(frame, to, stream_);
  }
  stream_.synchronize();
}

void GpuDecoding::download(const AVFrame& frame, const Stream& stream,
                           std::span<std::byte> to) const {
  gpu::set_device(number_);  // each thread has its own current device
  const gpu::Buffer on_gpu(stream.shape.bytes(), stream_);
  copy(frame, stream, on_gpu.data());
  gpu::download(on_gpu.data(), to.data(), on_gpu.bytes(), stream_);
  stream_.synchronize();
}

}  // namespace warpwise::live::ffmpeg
