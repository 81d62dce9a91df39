// Compares the GPU's decoders with the CPU's: bytes and times of all frames must be equal. The
// program ffmpeg makes the videos. A machine with a GPU may lack ffmpeg. The videos are then in the
// folder that the environment variable WARPWISE_TEST_VIDEOS names.
#include <filesystem>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/video_testing.hpp"

namespace warpwise::live {
namespace {

using test::Bytes;

// ffmpeg's source of moving pictures; {} stands for the size.
constexpr const char* moving = "testsrc2=s={}:r=25:d=4,noise=all_strength=2";

struct Video {
  const char* name;
  const char* size;
  const char* encoder;      // arguments of ffmpeg
  bool is_compared = true;  // true if Decode::automatic chooses the GPU
};

void PrintTo(const Video& video, std::ostream* to) { *to << video.name; }

// The GPU must decode these videos. Their profiles and options use different parts of a decoder.
constexpr Video decoded[] = {
    {"baseline.mp4", "320x240", "-c:v libx264 -profile:v baseline -g 12"},
    {"main.mp4", "322x182", "-c:v libx264 -profile:v main -bf 3 -g 25 -coder 0"},
    {"high.mp4", "640x360", "-c:v libx264 -profile:v high -bf 3 -refs 5 -b_strategy 2"},
    {"pyramid.mkv", "480x270", "-c:v libx264 -x264-params b-pyramid=normal:bframes=8:open-gop=1"},
    {"slices.ts", "720x576", "-c:v libx264 -x264-params slices=5:weightp=2 -g 10 -b:v 400k"},
    {"intra.avi", "352x288", "-c:v libx264 -g 1 -qp 20"},
    {"lossy.mp4", "1280x720", "-c:v libx264 -crf 45 -g 250 -preset ultrafast"},
    {"full.mp4", "320x240", "-c:v libx264 -pix_fmt yuvj420p -color_range pc"},
    {"tagged.mp4", "320x240", "-c:v libx264 -colorspace bt709 -chroma_sample_location topleft"},
    {"least.mp4", "64x48", "-c:v libx264"},
    {"hd.mp4", "1920x1080", "-c:v libx264 -preset veryfast -b:v 4M -g 50"},
};

// The GPU decodes these videos if it has a decoder for the codec.
constexpr Video others[] = {
    {"hevc.mp4", "642x362", "-c:v libx265 -x265-params log-level=none"},
    {"hevc-open.mkv", "640x360", "-c:v libx265 -x265-params log-level=none:open-gop=1:keyint=10"},
    {"vp9.webm", "322x180", "-c:v libvpx-vp9 -b:v 300k -g 20 -deadline realtime -cpu-used 8"},
    {"vp8.webm", "322x180", "-c:v libvpx -b:v 300k -g 20 -deadline realtime"},
    {"av1.mkv", "322x182", "-c:v libaom-av1 -cpu-used 8 -usage realtime", false},
};

// Videos of more than 8 bits or 4:4:4. The GPU decodes them if it has a decoder for their pixels.
constexpr Video deep[] = {
    {"main10.mp4", "642x362", "-c:v libx265 -x265-params log-level=none -pix_fmt yuv420p10le"},
    {"hdr10.mp4", "320x240",
     "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=30 -tag:v hvc1 "
     "-pix_fmt yuv420p10le -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc"},
    {"full10.mp4", "322x182",
     "-c:v libx265 -preset ultrafast -x265-params log-level=none:range=full "
     "-pix_fmt yuv420p10le -color_range pc"},
    {"open10.mkv", "320x180",
     "-c:v libx265 -preset veryfast -x265-params log-level=none:open-gop=1:keyint=10 "
     "-pix_fmt yuv420p10le"},
    {"hd10.mp4", "1920x1080",
     "-c:v libx265 -preset ultrafast -b:v 2M -x265-params log-level=none:keyint=50 "
     "-pix_fmt yuv420p10le"},
    {"main12.mkv", "322x182",
     "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p12le"},
    {"full12.mkv", "162x146",
     "-c:v libx265 -preset ultrafast -x265-params log-level=none:range=full "
     "-pix_fmt yuv420p12le -color_range pc"},
    {"444.mp4", "322x182",
     "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv444p"},
    {"444-10.mp4", "322x182",
     "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv444p10le"},
    {"444-12.mkv", "322x182",
     "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv444p12le"},
    {"444-full.mp4", "162x146",
     "-c:v libx265 -preset ultrafast -x265-params log-level=none:range=full "
     "-pix_fmt yuv444p10le -color_range pc"},
    {"vp9-10.webm", "322x180",
     "-c:v libvpx-vp9 -profile:v 2 -pix_fmt yuv420p10le -b:v 300k -g 20 -deadline realtime "
     "-cpu-used 8"},
    {"vp9-12.webm", "322x180",
     "-c:v libvpx-vp9 -profile:v 2 -pix_fmt yuv420p12le -b:v 300k -g 20 -deadline realtime "
     "-cpu-used 8"},
};

class GpuDecodingTest : public test::VideoTest, public ::testing::WithParamInterface<Video> {
 protected:
  // The bundle of tests for GPU machines lacks FFmpeg. Its videos are made on another machine.
  void SetUp() override {
    if (std::getenv("WARPWISE_TEST_VIDEOS") == nullptr) return skip_without_gpu();
    try {
      video_module();
    } catch (const IoError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static void skip_without_gpu() {
    if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  }

  // Returns the path of the parameter's video, and makes the video if it is missing.
  std::string video() const {
    const Video& wanted = GetParam();
    const char* const folder = std::getenv("WARPWISE_TEST_VIDEOS");
    std::string file =
        folder == nullptr ? path(wanted.name) : folder + ("/" + std::string(wanted.name));
    if (std::filesystem::exists(file)) return file;
    std::string input = moving;
    input.replace(input.find("{}"), 2, wanted.size);
    ffmpeg("-f lavfi -i '" + input + "' -pix_fmt yuv420p " + wanted.encoder + " '" + file + "'");
    return file;
  }
};

// Frames and their times. nv12 becomes i420, so that frames of both decoders have one format.
struct Frames {
  std::vector<Bytes> frames;
  std::vector<std::int64_t> starts;
};

// Converts a frame of nv12 to i420. Returns any other frame unchanged.
Bytes in_planes(const Stream& stream, const Bytes& frame) {
  if (stream.shape.format != PixelFormat::nv12) return frame;
  const std::int64_t luma = stream.shape.width * stream.shape.height;
  const std::int64_t chroma = (static_cast<std::int64_t>(frame.size()) - luma) / 2;
  Bytes planes = frame;
  for (std::int64_t i = 0; i < 2 * chroma; ++i) {
    const std::int64_t to = luma + (i % 2) * chroma + i / 2;
    planes[static_cast<std::size_t>(to)] = frame[static_cast<std::size_t>(luma + i)];
  }
  return planes;
}

void put(Frames& all, const Source& source, const Bytes& frame) {
  all.frames.push_back(in_planes(source.stream(), frame));
  all.starts.push_back(source.time()->start);
}

Frames read_on_host(Source& source) {
  Frames all;
  Bytes frame(static_cast<std::size_t>(source.stream().shape.bytes()));
  while (source.next(frame)) put(all, source, frame);
  return all;
}

Frames read_on_gpu(Source& source) {
  Frames all;
  const gpu::Stream stream;
  Bytes frame(static_cast<std::size_t>(source.stream().shape.bytes()));
  const gpu::Buffer on_gpu(source.stream().shape.bytes(), stream);
  stream.synchronize();
  while (source.next_on_gpu(on_gpu.data(), stream)) {
    gpu::download(on_gpu.data(), frame.data(), on_gpu.bytes(), stream);
    stream.synchronize();
    put(all, source, frame);
  }
  return all;
}

void expect_same(const Frames& is, const Frames& should) {
  EXPECT_EQ(is.starts, should.starts);
  ASSERT_EQ(is.frames.size(), should.frames.size());
  for (std::size_t i = 0; i < is.frames.size(); ++i) {
    ASSERT_TRUE(is.frames[i] == should.frames[i]) << "frame " << i + 1;
  }
}

std::unique_ptr<Source> decoded_by(const std::string& file, Decode decode,
                                   std::optional<Rate> rate = std::nullopt) {
  return video_module().open_file(file, {.rate = rate, .decode = decode});
}

void expect_same_decoded(const std::string& file, Decode decode) {
  const std::unique_ptr<Source> cpu = decoded_by(file, Decode::cpu);
  const std::unique_ptr<Source> gpu = decoded_by(file, decode);
  EXPECT_NE(gpu->name().find("decoded by the GPU"), std::string::npos) << gpu->name();
  EXPECT_EQ(gpu->why_not_on_gpu(), "");
  EXPECT_EQ(gpu->stream().depth, cpu->stream().depth);
  EXPECT_EQ(gpu->stream().shape.planes, cpu->stream().shape.planes);
  EXPECT_EQ(gpu->stream().primaries, cpu->stream().primaries);
  EXPECT_EQ(gpu->stream().transfer, cpu->stream().transfer);
  EXPECT_EQ(gpu->stream().colours.range.value, cpu->stream().colours.range.value);
  EXPECT_EQ(gpu->stream().colours.matrix.value, cpu->stream().colours.matrix.value);
  EXPECT_EQ(gpu->stream().colours.siting.value, cpu->stream().colours.siting.value);
  const Frames should = read_on_host(*cpu);
  EXPECT_GT(should.frames.size(), 90U);
  expect_same(read_on_gpu(*gpu), should);
  expect_same(read_on_host(*decoded_by(file, Decode::gpu)), should);
  const Rate rate{10, 1};
  expect_same(read_on_gpu(*decoded_by(file, Decode::gpu, rate)),
              read_on_host(*decoded_by(file, Decode::cpu, rate)));
}

class DecodedByGpu : public GpuDecodingTest {};

TEST_P(DecodedByGpu, HasTheBytesAndTheTimesOfTheCpu) {
  const std::string file = video();
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  expect_same_decoded(file, Decode::automatic);
}

INSTANTIATE_TEST_SUITE_P(Videos, DecodedByGpu, ::testing::ValuesIn(decoded));

class DecodedIfItCan : public GpuDecodingTest {};

TEST_P(DecodedIfItCan, HasTheBytesAndTheTimesOfTheCpu) {
  const std::string file = video();
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  const std::string why_not = test::message_of([&] { decoded_by(file, Decode::gpu); });
  if (!why_not.empty()) {
    EXPECT_NE(why_not.find("the GPU decodes no "), std::string::npos) << why_not;
    const std::unique_ptr<Source> source = decoded_by(file, Decode::automatic);
    EXPECT_NE(source->name().find("decoded by the CPU: "), std::string::npos) << source->name();
    GTEST_SKIP() << why_not;
  }
  expect_same_decoded(file, GetParam().is_compared ? Decode::automatic : Decode::gpu);
}

INSTANTIATE_TEST_SUITE_P(Videos, DecodedIfItCan, ::testing::ValuesIn(others));
INSTANTIATE_TEST_SUITE_P(DeepVideos, DecodedIfItCan, ::testing::ValuesIn(deep));

}  // namespace
}  // namespace warpwise::live
