// Tests times, turns, tags and other tracks (sound, subtitles) of cameras' and phones' videos.
#include <array>
#include <sstream>

#include "warpwise/live/rotation.hpp"
#include "warpwise/live/video_testing.hpp"

namespace warpwise::live::test {
namespace {

using Words = std::vector<std::string>;

class PeoplesVideoTest : public VideoTest {
 protected:
  // Copies a video as `warpwise stream` does.
  void copy(const std::string& from, const std::string& to, SourceOptions options = {},
            std::int64_t most_frames = 1'000'000) const {
    options.with_companions = true;
    const auto source = open(from, options);
    const auto sink = video_module().create(path(to));
    sink->set_companions(source->take_companions());
    Stream stream = source->stream();
    ASSERT_EQ(sink->accepted_frames(stream).format, stream.format());
    sink->begin(stream);
    Bytes frame(static_cast<std::size_t>(stream.shape.bytes()));
    for (std::int64_t i = 0; i < most_frames && source->next(frame); ++i) {
      sink->write_at(frame, source->time().value());
    }
    sink->finish();
  }

  // Returns what ffprobe prints about `entries` of a file: a line for each stream, packet, ….
  std::string probed(const std::string& name, const std::string& entries) const {
    const std::string command = "cd '" + path("") + "' && ffprobe -v error -of csv=p=0 " + entries +
                                " '" + name + "' >probed 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << read("probed");
    return read("probed");
  }

  // Returns the times of a video's frames in milliseconds.
  std::vector<int> times(const std::string& name) const {
    std::istringstream lines(
        probed(name, "-select_streams v:0 -show_entries frame=best_effort_timestamp_time"));
    std::vector<int> times;
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) times.push_back(static_cast<int>(std::lround(std::stod(line) * 1000)));
    }
    return times;
  }
  double seconds(const std::string& name) const {
    return std::stod(probed(name, "-show_entries format=duration"));
  }
};

// Times of a phone's frames in milliseconds. The time between two frames depends on the light.
const std::vector<int> varying = {0, 40, 73, 100, 233, 266, 400, 433, 600, 700, 900, 950};

std::string at_varying_times() {
  std::string times = "'0";
  for (std::size_t i = 1; i < varying.size(); ++i) {
    times += "+eq(N\\," + std::to_string(i) + ")*" + std::to_string(varying[i]);
  }
  return times + "'";
}

TEST_F(PeoplesVideoTest, FramesKeepVaryingTimes) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 12 -vf settb=1/1000,setpts=" + at_varying_times() +
         " -fps_mode passthrough -enc_time_base 1/1000 -pix_fmt yuv420p -bf 0 -c:v libx264 a.mp4");
  ASSERT_EQ(times("a.mp4"), varying);
  EXPECT_TRUE(open("a.mp4")->stream().is_varying);
  EXPECT_NE(open("a.mp4")->stream().text().find("fps on average"), std::string::npos);
  for (const char* to : {"b.mp4", "b.mkv"}) {
    copy("a.mp4", to);
    EXPECT_EQ(times(to), varying) << to;
    EXPECT_NEAR(seconds(to), seconds("a.mp4"), 0.002) << to;
  }
  // Warpwise writes .avi files in JPEG's colours, so the input has them too.
  ffmpeg("-i a.mp4 -fps_mode passthrough -enc_time_base 1/1000 -pix_fmt yuvj420p -c:v mjpeg c.mov");
  copy("c.mov", "b.avi");
  EXPECT_EQ(times("b.avi"), varying);
}

TEST_F(PeoplesVideoTest, PicturesOfAGifKeepTheirDelays) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48 -frames:v 4 -vf "
      "settb=1/100,setpts='eq(N\\,1)*10+eq(N\\,2)*60+eq(N\\,3)*62' -fps_mode passthrough "
      "-enc_time_base 1/100 a.gif");
  copy("a.gif", "b.mkv");
  EXPECT_EQ(times("b.mkv"), (std::vector{0, 100, 600, 620}));
  EXPECT_NEAR(seconds("b.mkv"), seconds("a.gif"), 0.002);
}

// Programs that record the screen write an empty frame into an .avi file if nothing has changed.
TEST_F(PeoplesVideoTest, EmptyFramesOfAnAviTakeTheirTime) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 25 -c:v mjpeg -pix_fmt yuvj420p -r 25 "
      "every.avi");
  ffmpeg("-i every.avi -c copy -bsf:v noise=drop='mod(n\\,2)' half.avi");
  copy("half.avi", "b.avi");
  std::vector<int> half;
  for (int i = 0; i < 13; ++i) half.push_back(i * 80);
  EXPECT_EQ(times("b.avi"), half);
}

TEST_F(PeoplesVideoTest, ALongPauseFitsIntoAnAvi) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48 -frames:v 2 -vf settb=1/1000,setpts=N*130000 -fps_mode "
      "passthrough -enc_time_base 1/1000 -pix_fmt yuvj420p -c:v mjpeg a.mov");
  copy("a.mov", "b.avi");
  EXPECT_EQ(times("b.avi"), (std::vector{0, 50000, 100000, 130000}));
  const Bytes wanted = decoded("b.avi", "yuvj420p");
  const std::size_t frame = wanted.size() / 4;
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(2 * frame),
                         wanted.begin() + static_cast<std::ptrdiff_t>(frame)));
}

// In real time, frames may be dropped. Only gaps in the times of later frames tell the sink.
TEST_F(PeoplesVideoTest, FramesLeftOutDoNotChangeTheLength) {
  const Stream stream = stream_of(PixelFormat::i420, 64, 48, Rate{25, 1});
  for (const char* name : {"a.mp4", "a.mkv"}) {
    const auto sink = video_module().create(path(name));
    sink->begin(stream);
    for (const std::int64_t at : {0, 1, 2, 3, 7, 8, 20, 21, 22, 50}) {
      FrameTime time = stream.regular_time(at);
      if (at == 50) time.duration *= 10;
      sink->write_at(moving_ramp(stream.shape, static_cast<int>(at)), time);
    }
    sink->finish();
    EXPECT_EQ(times(name), (std::vector{0, 40, 80, 120, 280, 320, 800, 840, 880, 2000})) << name;
    EXPECT_NEAR(seconds(name), 2.4, 0.002) << name;
  }
}

TEST_F(PeoplesVideoTest, TagsGoAlongAndACoverIsMentioned) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 cover.png");
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48 -frames:v 3 -pix_fmt yuv420p -c:v libx264 -attach cover.png "
      "-metadata:s:t mimetype=image/png -metadata title=Film -metadata artist=Kim a.mkv");
  for (const char* to : {"b.mp4", "b.mkv"}) {
    copy("a.mkv", to);
    EXPECT_EQ(probed(to, "-show_entries format_tags=title,artist"), "Film,Kim\n") << to;
  }
  SourceOptions options;
  options.with_companions = true;
  const auto source = open("a.mkv", options);
  const auto companions = source->take_companions();
  EXPECT_EQ(
      video_module().create(path("c.mkv"))->unstored_parts(source->stream(), companions.get()),
      Words{"the cover picture"});
}

// The time stamps of the second recording begin at zero again.
TEST_F(PeoplesVideoTest, ASecondRecordingInAFileFollowsTheFirst) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 100 -c:v mpeg2video -bf 0 a.mpg");
  const Bytes once = content(path("a.mpg"));
  store(path("twice.mpg"), joined({once, once}));
  const auto source = open("twice.mpg");
  Bytes frame(static_cast<std::size_t>(source->stream().shape.bytes()));
  double last = -0.04;
  int count = 0;
  for (; source->next(frame); ++count) {
    const double now =
        static_cast<double>(source->time()->start) / source->stream().ticks().per_second();
    EXPECT_NEAR(now - last, 0.04, 0.0401) << count;
    last = now;
  }
  EXPECT_GT(count, 195);
  EXPECT_NEAR(last, (count - 1) * 0.04, 0.1);
}

// In the second recording, the packets' counters begin at 0 again, but no packet is missing.
TEST_F(PeoplesVideoTest, JoinedTransportStreamsAreWhole) {
  for (const char* how : {"a.ts", "-f mpegts -mpegts_m2ts_mode 1 a.ts"}) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=320x240:r=25:d=2 -f lavfi -i sine=d=2 -pix_fmt yuv420p -c:v "
        "libx264 "
        "-c:a aac " +
        std::string(how));
    const Bytes once = content(path("a.ts"));
    store(path("twice.ts"), joined({once, once}));
    const std::vector<Bytes> frames = frames_of(*open("a.ts"));
    ASSERT_EQ(frames.size(), 50U) << how;
    EXPECT_EQ(joined(frames_of(*open("twice.ts"))), joined({joined(frames), joined(frames)}))
        << how;
    // A packet is lost from the middle or the end of a frame, which must be reported as damage.
    const bool is_m2ts = how[0] == '-';
    const std::size_t cell = is_m2ts ? 192 : 188;
    const std::size_t track = is_m2ts ? 5 : 1;
    const auto is_inside_a_frame = [&](std::size_t at) {
      return once[at + track] == static_cast<std::byte>(is_m2ts ? 0x10 : 0x01) &&
             once[at + track + 1] == static_cast<std::byte>(is_m2ts ? 0x11 : 0x00);
    };
    int tried = 0;
    for (std::size_t lost = once.size() / 3 / cell * cell; tried < 12; lost += cell) {
      if (!is_inside_a_frame(lost)) continue;
      ++tried;
      Bytes cut = once;
      cut.erase(cut.begin() + static_cast<std::ptrdiff_t>(lost),
                cut.begin() + static_cast<std::ptrdiff_t>(lost + cell));
      store(path("cut.ts"), joined({cut, once}));
      EXPECT_NE(refusal("cut.ts").find("it is damaged or cut short"), std::string::npos)
          << how << ' ' << lost;
    }
  }
}

TEST_F(PeoplesVideoTest, EqualFramesStayEqual) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=30000/1001 -frames:v 40 -c:v ffv1 -pix_fmt yuv420p a.mkv");
  const auto source = open("a.mkv");
  EXPECT_FALSE(source->stream().is_varying);
  Bytes frame(static_cast<std::size_t>(source->stream().shape.bytes()));
  for (std::int64_t i = 0; source->next(frame); ++i) {
    const FrameTime time = source->time().value();
    EXPECT_EQ(time.start * 30000, i * 1001 * source->stream().ticks().numerator);
  }
  copy("a.mkv", "b.mp4");
  EXPECT_EQ(probed("b.mp4", "-show_entries stream=r_frame_rate,avg_frame_rate"),
            "30000/1001,30000/1001\n");
}

TEST_F(PeoplesVideoTest, ANewRateKeepsTheSpeed) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10 -frames:v 20 -c:v ffv1 -pix_fmt yuv420p a.mkv");
  const std::vector<Bytes> all = frames_of(*open("a.mkv"));
  SourceOptions options;
  options.rate = Rate{25, 1};
  EXPECT_EQ(open("a.mkv", options)->frames(), std::nullopt);
  std::vector<Bytes> expected;
  for (std::size_t i = 0; i < 50; ++i) expected.push_back(all.at(i * 10 / 25));
  EXPECT_EQ(frames_of(*open("a.mkv", options)), expected);
  options.rate = Rate{5, 1};
  expected.clear();
  for (std::size_t i = 0; i < 20; i += 2) expected.push_back(all.at(i));
  EXPECT_EQ(frames_of(*open("a.mkv", options)), expected);
}

// Returns the source's pixel that a turn moves to (x, y), by the definition of the orientation.
std::pair<std::int64_t, std::int64_t> origin_of(int orientation, std::int64_t x, std::int64_t y,
                                                std::int64_t width, std::int64_t height) {
  switch (orientation) {
    case 2: return {width - 1 - x, y};
    case 3: return {width - 1 - x, height - 1 - y};
    case 4: return {x, height - 1 - y};
    case 5: return {y, x};
    case 6: return {y, height - 1 - x};
    case 7: return {width - 1 - y, height - 1 - x};
    case 8: return {width - 1 - y, x};
    default: return {x, y};
  }
}

TEST(Turn, MovesEveryPixel) {
  for (const PixelFormat format : {PixelFormat::gray8, PixelFormat::rgb24, PixelFormat::bgra32}) {
    for (const Size size : {Size{1, 1}, Size{1, 7}, Size{64, 65}, Size{131, 70}}) {
      const auto shape = io::PictureShape::of(format, size.width, size.height);
      const Bytes from = random_bytes(shape.bytes(), 1);
      const std::int64_t bytes = plane_row_bytes(format, 0, 1);
      for (int orientation = 1; orientation <= 8; ++orientation) {
        const io::PictureShape result = turned(shape, orientation);
        Bytes to(from.size());
        turn(shape, from, orientation, to);
        Bytes expected(from.size());
        for (std::int64_t y = 0; y < result.height; ++y) {
          for (std::int64_t x = 0; x < result.width; ++x) {
            const auto [column, row] = origin_of(orientation, x, y, size.width, size.height);
            std::copy_n(from.begin() + (row * size.width + column) * bytes, bytes,
                        expected.begin() + (y * result.width + x) * bytes);
          }
        }
        EXPECT_EQ(to, expected) << name_of(format) << ' ' << orientation;
      }
    }
  }
}

// ffmpeg's filter for each turn; the index is the Exif orientation.
constexpr std::array turns_of_ffmpeg = {"",           "null",        "hflip",       "hflip,vflip",
                                        "vflip",      "transpose=0", "transpose=1", "transpose=3",
                                        "transpose=2"};

TEST_F(PeoplesVideoTest, TurnsAreThoseOfFfmpeg) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 -pix_fmt yuv420p -c:v ffv1 plain.mkv");
  const Stream stored = open("plain.mkv")->stream();
  const Bytes frame = frames_of(*open("plain.mkv")).at(0);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    Bytes to(frame.size());
    turn(stored.shape, frame, orientation, to);
    ffmpeg("-i plain.mkv -vf " +
           std::string(turns_of_ffmpeg.at(static_cast<std::size_t>(orientation))) +
           " -f rawvideo turned.raw");
    EXPECT_EQ(to, content(path("turned.raw"))) << orientation;
  }
}

// Phones write files whose frames players have to turn. ffmpeg's turned frames are the reference.
TEST_F(PeoplesVideoTest, FramesAreTurnedUpright) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 3 -pix_fmt yuv420p -c:v libx264 plain.mp4");
  Stream stream = open("plain.mp4")->stream();
  const std::vector<Bytes> frames = frames_of(*open("plain.mp4"));
  SourceOptions as_stored;
  as_stored.autorotate = false;
  for (int orientation = 2; orientation <= 8; ++orientation) {
    stream.orientation = orientation;
    write("a.mp4", stream, frames);
    EXPECT_EQ(joined(frames_of(*open("a.mp4"))), decoded("a.mp4", "yuv420p")) << orientation;
    EXPECT_EQ(open("a.mp4")->stream().orientation, 1);
    EXPECT_EQ(open("a.mp4", as_stored)->stream().orientation, orientation);
    EXPECT_EQ(open("a.mp4", as_stored)->stream().shape.width, 64);
  }
}

TEST_F(PeoplesVideoTest, TheTurnIsSaidAndShapesOfPixelsGoAlong) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48 -frames:v 2 -vf setsar=4/3 -pix_fmt yuv420p -c:v libx264 "
      "plain.mp4");
  SourceOptions as_stored;
  as_stored.autorotate = false;
  Stream stream = open("plain.mp4")->stream();
  stream.orientation = 6;
  write("a.mp4", stream, frames_of(*open("plain.mp4")));
  EXPECT_EQ(open("a.mp4")->name(), path("a.mp4") + " (h264, turned: a quarter turn to the right)");
  EXPECT_NE(open("a.mp4")->stream().text().find("48x64 i420"), std::string::npos);
  EXPECT_NE(open("a.mp4")->stream().text().find("pixels 3:4"), std::string::npos);
  EXPECT_NE(open("a.mp4", as_stored)
                ->stream()
                .text()
                .find("pixels 4:3, not turned: a quarter turn to the right"),
            std::string::npos)
      << open("a.mp4", as_stored)->stream().text();
  copy("a.mp4", "b.mp4");
  EXPECT_EQ(probed("b.mp4", "-show_entries stream=width,height,sample_aspect_ratio"),
            "48,64,3:4\n");
  copy("a.mp4", "c.mp4", as_stored);
  EXPECT_EQ(open("c.mp4")->name(), path("c.mp4") + " (h264, turned: a quarter turn to the right)");
  const auto mkv = video_module().create(path("d.mkv"));
  EXPECT_EQ(mkv->unstored_parts(stream, nullptr), Words{"the rotation tag"});
}

TEST_F(PeoplesVideoTest, PrimariesAndTransferGoAlong) {
  for (const auto& [transfer, said] :
       {std::pair("smpte2084", "transfer pq (tag)"), {"arib-std-b67", "transfer hlg (tag)"}}) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48 -frames:v 2 -pix_fmt yuv420p -color_primaries bt2020 "
        "-colorspace bt2020nc -color_trc " +
        std::string(transfer) + " -c:v libx264 a.mp4");
    EXPECT_NE(open("a.mp4")->stream().text().find(said), std::string::npos);
    for (const char* to : {"b.mp4", "b.mkv"}) {
      copy("a.mp4", to);
      EXPECT_EQ(probed(to, "-show_entries stream=color_transfer,color_primaries"),
                std::string(transfer) + ",bt2020\n")
          << to;
    }
  }
}

TEST_F(PeoplesVideoTest, ATurnDoesNotChangeTheGuessOfColours) {
  ffmpeg("-f lavfi -i color=s=768x576:d=0.1 -pix_fmt yuv420p -c:v libx264 plain.mp4");
  ffmpeg("-i plain.mp4 -c copy -metadata:s:v:0 rotate=90 a.mp4");
  const Stream stream = open("a.mp4")->stream();
  EXPECT_EQ(stream.shape.height, 768);
  EXPECT_EQ(stream.colours.matrix.value, Matrix::bt601);
}

TEST_F(PeoplesVideoTest, InterlacedFramesAreDeinterlacedOnRequest) {
  SourceOptions options;
  options.deinterlace = true;
  const std::string interlaced =
      "-f lavfi -i testsrc2=s=64x48:r=50:d=0.4 -vf interlace -pix_fmt yuv420p ";
  for (const char* how : {"-flags +ilme+ildct -c:v mpeg2video a.mkv",
                          "-flags +ilme+ildct -c:v libx264 -x264-params tff=1 a.mkv"}) {
    ffmpeg(interlaced + how);
    EXPECT_NE(refusal("a.mkv").find("is interlaced; --deinterlace makes whole frames"),
              std::string::npos)
        << how;
    const auto source = open("a.mkv", options);
    EXPECT_NE(source->name().find(", deinterlaced)"), std::string::npos);
    ffmpeg("-i a.mkv -vf bwdif=mode=send_frame -fps_mode passthrough -f rawvideo wanted");
    std::vector<double> times;
    Bytes all;
    Bytes frame(static_cast<std::size_t>(source->stream().shape.bytes()));
    while (source->next(frame)) {
      all.insert(all.end(), frame.begin(), frame.end());
      times.push_back(static_cast<double>(source->time()->start) /
                      source->stream().ticks().per_second());
    }
    EXPECT_EQ(all, content(path("wanted"))) << how;
    ASSERT_EQ(times.size(), 10U) << how;
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_NEAR(times[i], static_cast<double>(i) * 0.04, 1e-3) << how;
    }
  }
  ffmpeg(interlaced + "-c:v rawvideo -pix_fmt nv12 a.nut");
  EXPECT_NE(message_of([&] {
              open("a.nut", options);
            }).find("bwdif does not deinterlace frames of nv12 and 64x48"),
            std::string::npos);
}

TEST_F(PeoplesVideoTest, ProgressiveFramesAreNotFiltered) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 5 -pix_fmt yuv420p -c:v ffv1 a.mkv");
  SourceOptions options;
  options.deinterlace = true;
  EXPECT_EQ(joined(frames_of(*open("a.mkv", options))), joined(frames_of(*open("a.mkv"))));
}

// A video with two languages, subtitles and chapters.
class OtherTracksTest : public PeoplesVideoTest {
 protected:
  void make(const std::string& name, const std::string& how) const {
    std::ofstream(path("a.srt")) << "1\n00:00:00,200 --> 00:00:00,900\nOne\n\n"
                                    "2\n00:00:01,500 --> 00:00:01,900\nTwo\n";
    std::ofstream(path("chapters"))
        << ";FFMETADATA1\n"
           "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=A\n"
           "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=B\n";
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -f lavfi -i sine=f=880:d=2 "
        "-i a.srt -i chapters -map 0 -map 1 -map 2 -map 3 -map_chapters 4 -pix_fmt yuv420p "
        "-metadata:s:a:0 language=kor -metadata:s:a:1 language=eng -c:v libx264 -c:a aac " +
        how + " " + name);
  }
  std::string subtitles_of(const std::string& name) const {
    ffmpeg("-i " + name + " -map 0:s:0 track.srt");
    return read("track.srt");
  }
  // Returns a track's data as copied by ffmpeg.
  Bytes data_of(const std::string& name, const std::string& track) const {
    ffmpeg("-i " + name + " -map 0:" + track + " -c copy -f data track");
    return content(path("track"));
  }
};

TEST_F(OtherTracksTest, GoAlong) {
  make("a.mkv", "-c:s srt");
  copy("a.mkv", "b.mkv");
  make("a.mp4", "-c:s mov_text");
  copy("a.mp4", "b.mp4");
  EXPECT_EQ(subtitles_of("b.mkv"), subtitles_of("a.mkv"));
  // FFmpeg reads no subtitle durations from fragmented files, so times and sizes are compared.
  ffmpeg("-i a.mp4 -map 0 -c copy -movflags frag_keyframe+delay_moov c.mp4");
  const char* packets = "-select_streams s -show_entries packet=pts_time,size";
  EXPECT_EQ(probed("b.mp4", packets), probed("c.mp4", packets));
  for (const std::string kind : {".mkv", ".mp4"}) {
    for (const char* track : {"a:0", "a:1"}) {
      EXPECT_EQ(data_of("b" + kind, track), data_of("a" + kind, track)) << kind << ' ' << track;
    }
    EXPECT_EQ(probed("b" + kind, "-show_entries chapter=start_time,end_time:chapter_tags=title"),
              "0.000000,1.000000,A\n1.000000,2.000000,B\n");
    EXPECT_NE(probed("b" + kind, "-show_entries stream_tags=language").find("kor"),
              std::string::npos);
  }
}

TEST_F(OtherTracksTest, KeepTheirPlaceInTime) {
  make("a.mkv", "-c:s srt");
  // The sound begins 0.4 s after the first frame.
  ffmpeg("-i a.mkv -itsoffset 0.4 -i a.mkv -map 0:v -map 1:a:0 -c copy late.mkv");
  for (const char* to : {"b.mkv", "b.mp4"}) {
    copy("late.mkv", to);
    const double sound = std::stod(probed(to, "-select_streams a -show_entries stream=start_time"));
    const double video = std::stod(probed(to, "-select_streams v -show_entries stream=start_time"));
    EXPECT_NEAR(sound - video, 0.4, 0.03) << to;
  }
}

TEST_F(OtherTracksTest, SoundOfManyKindsCanBeDecoded) {
  for (const char* codec :
       {"aac", "libmp3lame", "ac3", "libopus", "pcm_s16le", "flac", "adpcm_ms", "g722"}) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:d=1 -f lavfi -i sine=d=1 -pix_fmt yuvj420p -c:v mjpeg -c:a " +
        std::string(codec) + " a.mkv");
    ffmpeg("-i a.mkv -c:v libx264 -pix_fmt yuv420p -c:a copy b.mkv");
    ffmpeg("-i a.mkv -map 0:a -f s16le sound");
    const std::size_t all = content(path("sound")).size();
    for (const auto& [from, to] :
         {std::pair("a.mkv", "c.avi"), {"b.mkv", "c.mp4"}, {"b.mkv", "c.mkv"}}) {
      copy(from, to);
      SourceOptions options;
      options.with_companions = true;
      const auto companions = open(from, options)->take_companions();
      const Words dropped =
          video_module().create(path(to))->unstored_parts(open(from)->stream(), companions.get());
      if (!dropped.empty() && dropped.front().starts_with("sound")) continue;
      ffmpeg("-i " + std::string(to) + " -map 0:a -f s16le sound");
      EXPECT_NEAR(static_cast<double>(content(path("sound")).size()), static_cast<double>(all),
                  8000)
          << codec << ' ' << to;
      EXPECT_TRUE(read("errors").empty()) << codec << ' ' << to << ": " << read("errors");
    }
  }
}

TEST_F(OtherTracksTest, WhatWasCutAwayStaysAway) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:d=3 -f lavfi -i sine=d=3 -pix_fmt yuv420p -g 75 -c:v libx264 "
      "-c:a aac a.mp4");
  ffmpeg("-ss 1.3 -i a.mp4 -c copy cut.mp4");
  copy("cut.mp4", "b.mp4");
  const auto seconds = [&](const char* file) {
    return std::stod(probed(file, "-show_entries format=duration"));
  };
  EXPECT_LT(seconds("cut.mp4"), 2);
  EXPECT_NEAR(seconds("b.mp4"), seconds("cut.mp4"), 0.1);
}

TEST_F(OtherTracksTest, ComeFromATransportStream) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:d=2 -f lavfi -i sine=d=2 -pix_fmt yuv420p -c:v libx264 -c:a "
      "aac a.ts");
  for (const char* to : {"b.mp4", "b.mkv"}) {
    copy("a.ts", to);
    EXPECT_EQ(probed(to, "-select_streams a -show_entries stream=codec_name"), "aac\n");
    ffmpeg("-i " + std::string(to) + " -f null -");
    EXPECT_TRUE(read("errors").empty()) << to << ": " << read("errors");
    EXPECT_NEAR(seconds(to), 2, 0.1) << to;
  }
}

TEST_F(OtherTracksTest, OfASecondRecordingFollowTheFirst) {
  for (const auto& [name, codecs] :
       {std::pair("a.ts", "-c:v libx264 -c:a aac"), {"a.mpg", "-c:v mpeg2video -bf 0 -c:a mp2"}}) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=3 -f lavfi -i sine=d=3 -pix_fmt yuv420p " +
           std::string(codecs) + " " + name);
    const Bytes once = content(path(name));
    const std::string twice = "twice" + std::string(name).substr(1);
    store(path(twice), joined({once, once}));
    copy(name, "once.mkv");
    copy(twice, "b.mkv");
    const auto starts_of_sound = [&](const char* file) {
      std::istringstream lines(probed(file, "-select_streams a -show_entries packet=pts_time"));
      std::vector<double> starts;
      for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) starts.push_back(std::stod(line));
      }
      return starts;
    };
    const std::vector<double> one = starts_of_sound("once.mkv");
    const std::vector<double> both = starts_of_sound("b.mkv");
    ASSERT_NEAR(static_cast<double>(both.size()), 2.0 * static_cast<double>(one.size()), 4) << name;
    EXPECT_NEAR(both.back(), 3 + one.back(), 0.15) << name;
    EXPECT_NEAR(seconds("b.mkv"), 6, 0.2) << name;
  }
}

// B-frames make display times step back. This must not count as the start of another recording.
TEST_F(OtherTracksTest, OfASlowSecondRecordingFollowTheFirst) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=1:d=10 -f lavfi -i sine=d=10 -pix_fmt yuv420p -c:v libx264 "
      "-bf 3 -x264opts b-adapt=0:keyint=20 -c:a mp2 a.ts");
  const Bytes once = content(path("a.ts"));
  store(path("twice.ts"), joined({once, once}));
  copy("twice.ts", "b.mp4");
  EXPECT_EQ(data_of("b.mp4", "a"), data_of("twice.ts", "a"));
}

TEST_F(OtherTracksTest, EndWithTheFrames) {
  make("a.mkv", "-c:s srt");
  copy("a.mkv", "b.mkv", {}, 25);
  EXPECT_NEAR(seconds("b.mkv"), 1.0, 0.05);
  copy("a.mkv", "c.mkv", {}, 47);  // at frame 47 the decoder has read the whole file
  EXPECT_NEAR(seconds("c.mkv"), 1.88, 0.05);
}

TEST_F(OtherTracksTest, AreNamedWhereTheContainerDoesNotTakeThem) {
  make("a.mkv", "-c:s srt");
  SourceOptions options;
  options.with_companions = true;
  const auto source = open("a.mkv", options);
  const auto companions = source->take_companions();
  const auto unstored_parts = [&](const char* name) {
    return video_module().create(path(name))->unstored_parts(source->stream(), companions.get());
  };
  EXPECT_EQ(unstored_parts("b.mkv"), Words{});
  EXPECT_EQ(unstored_parts("b.mp4"), Words{"subtitles (subrip)"});
  EXPECT_EQ(unstored_parts("b.avi"), (Words{"subtitles (subrip)", "chapters"}));
}

TEST_F(PeoplesVideoTest, OneOfSeveralVideosIsChosen) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48 -f lavfi -i testsrc2=s=32x24 -frames:v 3 -map 0 -map 1 "
      "-c:v ffv1 a.mkv");
  SourceOptions options;
  EXPECT_EQ(open("a.mkv", options)->stream().shape.width, 64);
  options.track = 2;
  EXPECT_EQ(open("a.mkv", options)->stream().shape.width, 32);
  options.track = 3;
  EXPECT_NE(message_of([&] { open("a.mkv", options); }).find("no video track 3, only 2 tracks"),
            std::string::npos);
}

TEST_F(PeoplesVideoTest, ACoverPictureIsNoVideo) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 cover.png");
  ffmpeg(
      "-f lavfi -i sine=d=1 -i cover.png -map 0 -map 1 -c:v copy -disposition:v attached_pic "
      "a.mp3");
  EXPECT_NE(refusal("a.mp3").find("there is no video in it, only a cover picture"),
            std::string::npos);
}

}  // namespace
}  // namespace warpwise::live::test
