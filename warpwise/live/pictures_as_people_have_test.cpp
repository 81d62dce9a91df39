// Tests of turned pictures, pages and animations as sources of frames.
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/sources.hpp"
#include "warpwise/live/video_testing.hpp"

namespace warpwise::live::test {
namespace {

class PeoplesPicturesTest : public VideoTest {
 protected:
  static std::unique_ptr<Source> image(const std::string& name, const SourceOptions& options = {}) {
    return open_source(WARPWISE_IMAGES "/" + name, options);
  }
  static std::vector<std::int64_t> times_of(Source& source) {
    std::vector<std::int64_t> times;
    Bytes frame(static_cast<std::size_t>(source.stream().shape.bytes()));
    while (source.next(frame)) times.push_back(source.time().value().start);
    return times;
  }
};

// After a quarter turn to the right, each turned file has the pixels of its plain file.
TEST_F(PeoplesPicturesTest, AreTurnedUpright) {
  SourceOptions as_stored;
  as_stored.autorotate = false;
  for (const auto& [turned, plain] : {std::pair("rgb8-exif-turn.png", "rgb8.png"),
                                      {"rgb8-exif-behind.png", "rgb8.png"},
                                      {"lossless-exif-turn.webp", "lossless.webp"},
                                      {"lossy-exif-turn.webp", "lossy.webp"},
                                      {"exif-behind-xmp.jpg", "exif-1.jpg"},
                                      {"turn-6-rgb8.tif", "turn-1-rgb8.tif"}}) {
    const auto source = image(turned);
    EXPECT_EQ(source->name(),
              WARPWISE_IMAGES "/" + std::string(turned) + " (turned: a quarter turn to the right)");
    const auto stored = image(turned, as_stored);
    EXPECT_EQ(stored->stream().orientation, 6) << turned;
    const io::PictureShape shape = stored->stream().shape;
    EXPECT_EQ(source->stream().shape.width, shape.height) << turned;
    const Bytes frame = frames_of(*stored).at(0);
    EXPECT_EQ(frame, frames_of(*image(plain)).at(0)) << turned;
    const Bytes upright = frames_of(*source).at(0);
    for (std::int64_t y = 0; y < shape.width; ++y) {
      for (std::int64_t x = 0; x < shape.height; ++x) {
        const auto from = ((shape.height - 1 - x) * shape.width + y) * 3;
        ASSERT_TRUE(std::equal(frame.begin() + from, frame.begin() + from + 3,
                               upright.begin() + (y * shape.height + x) * 3))
            << turned << ' ' << x << ' ' << y;
      }
    }
  }
}

TEST_F(PeoplesPicturesTest, PagesAreFrames) {
  const auto pages = image("grey8-pages.tif");
  EXPECT_EQ(pages->frames(), 2);
  const std::vector<Bytes> frames = frames_of(*pages);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0], frames_of(*image("grey8.tif")).at(0));
  for (std::size_t i = 0; i < frames[0].size(); ++i) EXPECT_EQ(frames[1][i], ~frames[0][i]);
  SourceOptions options;
  options.page = 2;
  const auto second = image("grey8-pages.tif", options);
  EXPECT_EQ(second->frames(), 1);
  EXPECT_EQ(frames_of(*second), (std::vector<Bytes>{frames[1]}));
  EXPECT_NE(message_of([&] { image("grey8*.tif", options); }).find("--page is for one file"),
            std::string::npos);
  options.page = 3;
  EXPECT_NE(failure([&] {
              image("grey8-pages.tif", options);
            }).find("grey8-pages.tif has no picture 3, only 2 pictures"),
            std::string::npos);
}

TEST_F(PeoplesPicturesTest, AnimatedWebPHasFramesWithTimes) {
  const auto source = image("animated.webp");
  EXPECT_EQ(source->stream().rate.text(), "10");
  EXPECT_FALSE(source->stream().is_varying);
  EXPECT_EQ(source->stream().ticks().numerator, 1000);
  EXPECT_EQ(times_of(*source), (std::vector<std::int64_t>{0, 100}));
  EXPECT_EQ(frames_of(*image("animated.webp")).at(1), frames_of(*image("lossless.webp")).at(0));
  SourceOptions options;
  options.rate = Rate{20, 1};
  EXPECT_EQ(frames_of(*image("animated.webp", options)).size(), 4U);
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=10 -frames:v 3 -vf settb=1/1000,setpts='(N+gte(N\\,2))*100' "
      "-fps_mode passthrough -enc_time_base 1/1000 -c:v libwebp_anim a.webp");
  EXPECT_TRUE(open_source(path("a.webp"), {})->stream().is_varying);
}

TEST_F(PeoplesPicturesTest, AnimatedPngHasFramesWithTimes) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=5 -frames:v 3 -pix_fmt rgb24 -f apng -plays 1 a.png");
  const auto source = open_source(path("a.png"), {});
  EXPECT_EQ(source->name(), path("a.png") + " (apng)");
  EXPECT_EQ(joined(frames_of(*source)), decoded("a.png", "rgb24"));
  const auto again = open_source(path("a.png"), {});
  EXPECT_EQ(times_of(*again).size(), 3U);
  EXPECT_EQ(again->time()->start * 5, 2 * again->stream().ticks().numerator);
}

TEST_F(PeoplesPicturesTest, GifOfOneAndOfManyPictures) {
  for (const int count : {1, 4}) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10 -frames:v " + std::to_string(count) + " a.gif");
    EXPECT_EQ(frames_of(*open_source(path("a.gif"), {})).size(), static_cast<std::size_t>(count));
    // Commands for pictures read only the first picture of an animation.
    io::InputFile file(path("a.gif"));
    const io::Picture first = io::read_picture(file);
    EXPECT_EQ(first.shape().format, PixelFormat::rgb24);
    const Bytes all = decoded("a.gif", "rgb24");
    EXPECT_TRUE(std::ranges::equal(
        first.bytes(), std::span(all).first(all.size() / static_cast<std::size_t>(count))));
  }
}

TEST_F(PeoplesPicturesTest, AGifOfTransparentPixelsHasAlpha) {
  ffmpeg(
      "-f lavfi -i color=c=red@0:s=8x8:d=0.04,format=rgba -f lavfi -i color=c=blue:s=4x4:d=0.04 "
      "-filter_complex "
      "'overlay=format=auto,split[a][b];[a]palettegen[p];[b][p]paletteuse' -frames:v 1 a.gif");
  io::InputFile file(path("a.gif"));
  const io::Picture picture = io::read_picture(file);
  ASSERT_EQ(picture.shape().format, PixelFormat::rgba32);
  const Bytes wanted = decoded("a.gif", "rgba");
  EXPECT_TRUE(std::ranges::equal(picture.bytes(), wanted));
  EXPECT_EQ(picture.bytes()[3], std::byte{255});
  EXPECT_EQ(picture.bytes().back(), std::byte{0});
}

TEST_F(PeoplesPicturesTest, ADamagedGifIsRefused) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 a.gif");
  const Bytes whole = content(path("a.gif"));
  for (const std::size_t length : {std::size_t{9}, std::size_t{100}, whole.size() / 2}) {
    store(path("cut.gif"), std::span(whole).first(length));
    io::InputFile file(path("cut.gif"));
    EXPECT_NE(failure([&] { io::read_picture(file); }).find("cut.gif"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpwise::live::test
