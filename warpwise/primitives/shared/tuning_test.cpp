#include "warpwise/primitives/shared/tuning.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "support/guarded_image.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/shared/tuning_file.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise {
namespace {

using test::GuardedImage;
using test::OnDevice;
using tuning::Entry;
using tuning::Key;
using tuning::Line;
using tuning::Setting;
using tuning::Trial;
using tuning::Tunable;

constexpr std::string_view kinds[] = {"small", "large"};
constexpr int choices[] = {8, 4, 16};
constexpr Tunable rows{"blur", "rows", "rows of a block", kinds, choices};
constexpr const Tunable* known[] = {&rows};
const tuning::Gpu h200{"NVIDIA H200", "9.0", 132, 13000};

std::string_view source_of(std::string_view) { return "0123456789abcdef"; }

Entry entry(int value, const std::string& verdict, double gain, const std::string& work = "a") {
  return {.primitive = "blur",
          .tunable = "rows",
          .value = value,
          .kind = "large",
          .size = 22,
          .verdict = verdict,
          .gain = gain,
          .why = "1 us, 2 us",
          .work = work,
          .source = "0123456789abcdef",
          .gpu = h200};
}

std::string file_of(const std::vector<Entry>& entries) {
  std::string text = std::string(tuning::file_header) + "\n";
  for (const Entry& each : entries) text += line_of(each) + "\n";
  return text;
}

struct Read {
  std::vector<Line> lines;
  std::vector<Setting> settings;
};
Read read(const std::string& text, const std::optional<tuning::Gpu>& gpu = h200) {
  Read result{tuning::read_lines(text), {}};
  result.settings = settings_of(result.lines, known, source_of, gpu);
  return result;
}

// Returns the reason of the only line.
std::string ignored(const std::string& line) {
  const Read result = read(std::string(tuning::file_header) + "\n" + line + "\n");
  EXPECT_TRUE(result.settings.empty()) << line;
  return result.lines.size() == 1 ? result.lines[0].ignored : "there is no one line";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no '" + from + "' in " + text);
  return text.replace(at, from.size(), to);
}

TEST(TuningFile, SizeClassesAreFourfold) {
  EXPECT_EQ(tuning::size_class(0), 0);
  EXPECT_EQ(tuning::size_class(1), 0);
  EXPECT_EQ(tuning::size_class(3), 0);
  EXPECT_EQ(tuning::size_class(4), 2);
  EXPECT_EQ(tuning::size_class((1 << 24) - 1), 22);
  EXPECT_EQ(tuning::size_class(1 << 24), 24);
  EXPECT_EQ(tuning::size_class(std::numeric_limits<std::int64_t>::max()), 62);
}

TEST(TuningFile, ALineIsReadAsItWasWritten) {
  Entry written = entry(16, "faster", 1.25, "u8 mean 31 640x480");
  written.why = "a \"quoted\"\nreason";
  const Read result = read(file_of({written}));
  ASSERT_EQ(result.lines.size(), 1U);
  ASSERT_TRUE(result.lines[0].entry);
  const Entry& entry = *result.lines[0].entry;
  EXPECT_EQ(entry.why, "a  quoted  reason");
  EXPECT_EQ(entry.work, written.work);
  EXPECT_EQ(entry.gain, 1.25);
  EXPECT_EQ(entry.gpu, h200);
  ASSERT_EQ(result.settings.size(), 1U);
  EXPECT_EQ(result.settings[0].key, (Key{&rows, 1, 22}));
  EXPECT_EQ(result.settings[0].value, 16);
  EXPECT_EQ(result.lines[0].ignored, "");
}

TEST(TuningFile, TheFastestOfAKeyHasAnEffect) {
  const Read result = read(file_of({entry(4, "faster", 1.1), entry(16, "faster", 1.3)}));
  ASSERT_EQ(result.settings.size(), 1U);
  EXPECT_EQ(result.settings[0].value, 16);
  EXPECT_EQ(result.lines[0].ignored, "another value is faster");
}

TEST(TuningFile, AValueThatIsWorseOnACaseHasNone) {
  for (const char* worse : {"slower", "wrong", "throttled"}) {
    const Read result = read(file_of({entry(4, "faster", 2), entry(4, worse, 0.9, "b")}));
    EXPECT_TRUE(result.settings.empty()) << worse;
    EXPECT_EQ(result.lines[0].ignored, "not faster on another case");
    EXPECT_EQ(result.lines[1].ignored, worse);
  }
  const Read result = read(file_of({entry(4, "faster", 2), entry(4, "same", 1, "b")}));
  EXPECT_EQ(result.settings.size(), 1U);
}

TEST(TuningFile, OfTwoLinesOfOneMeasurementTheLastCounts) {
  const Read result = read(file_of({entry(4, "faster", 2), entry(4, "slower", 0.5)}));
  EXPECT_TRUE(result.settings.empty());
  EXPECT_EQ(result.lines[0].ignored, "line 3 has replaced it");
}

TEST(TuningFile, WhatIsOfAnotherGpuOrSourceHasNoEffect) {
  const std::string text = file_of({entry(4, "faster", 2)});
  const auto reason = [&](const std::optional<tuning::Gpu>& gpu) {
    const Read result = read(text, gpu);
    EXPECT_TRUE(result.settings.empty());
    return result.lines[0].ignored;
  };
  EXPECT_EQ(reason(std::nullopt), "there is no GPU here");
  EXPECT_EQ(reason(tuning::Gpu{"NVIDIA H200", "9.0", 132, 12080}), "it is for another driver");
  EXPECT_EQ(reason(tuning::Gpu{"NVIDIA H100", "9.0", 132, 13000}),
            "it is for another GPU, or for a part of it");
  EXPECT_EQ(reason(tuning::Gpu{"NVIDIA H200", "9.0", 66, 13000}),
            "it is for another GPU, or for a part of it");
  EXPECT_EQ(ignored(replaced(line_of(entry(4, "faster", 2)), "0123456789", "0000000000")),
            "it is for other sources");
}

TEST(TuningFile, BadLinesSayWhatIsWrong) {
  const std::string good = line_of(entry(4, "faster", 2));
  EXPECT_EQ(ignored(replaced(good, "rows=4", "rows=5")), "the value is not one of the choices");
  EXPECT_EQ(ignored(replaced(good, "rows=4", "rows=4294967300")),
            "its value is no number of 32 bits");
  EXPECT_EQ(ignored(replaced(good, "rows=4", "columns=4")), "there is no such tunable");
  EXPECT_EQ(ignored(replaced(good, "blur.rows", "rows")),
            "it does not begin with PRIMITIVE.NAME=VALUE");
  EXPECT_EQ(ignored(replaced(good, "kind=large", "kind=huge")), "there is no such kind");
  EXPECT_EQ(ignored(replaced(good, "2^22", "2^64")), "there is no such size");
  EXPECT_EQ(ignored(replaced(good, "2^22", "22")), "size is not 2^N");
  EXPECT_EQ(ignored(replaced(good, "gain=2.000", "gain=1e999")), "gain is no number");
  EXPECT_EQ(ignored(replaced(good, "gain=2.000", "gain=inf")), "its gain is none");
  EXPECT_EQ(ignored(replaced(good, "gain=2.000", "gain=1")), "it is faster by no gain");
  EXPECT_EQ(ignored(replaced(good, "verdict=faster", "verdict=best")), "there is no such verdict");
  EXPECT_EQ(ignored(replaced(good, "sms=132", "sms=99999999999")), "sms is no number");
  EXPECT_EQ(ignored(replaced(good, "sms=132 ", "")), "it has no sms");
  EXPECT_EQ(ignored(replaced(good, "sms=132", "sms=132 sms=132")), "it has two of sms");
  EXPECT_EQ(ignored(replaced(good, "sms=132", "sms=132 extra=1")), "there is no field extra");
  EXPECT_EQ(ignored(good + " nothing"), "it is no list of NAME=VALUE");
  EXPECT_EQ(ignored(good.substr(0, good.size() - 1)), "it is no list of NAME=VALUE");
}

TEST(TuningFile, ACutOffLastLineIsIgnored) {
  const std::string text = file_of({entry(4, "faster", 2), entry(16, "faster", 3)});
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Read result = read(text.substr(0, length));
    for (const Setting& each : result.settings) EXPECT_EQ(each.value, 4) << length;
  }
  EXPECT_EQ(read(text.substr(0, text.size() - 1)).lines[1].ignored, "it has no end");
}

TEST(TuningFile, AnotherVersionIsNotRead) {
  const std::string text = file_of({entry(4, "faster", 2)});
  const Read result = read(replaced(text, "tuning 1", "tuning 2"));
  EXPECT_TRUE(result.settings.empty());
  ASSERT_EQ(result.lines.size(), 1U);
  EXPECT_EQ(result.lines[0].ignored, "the file does not begin with \"warpwise tuning 1\"");
  EXPECT_EQ(read(text + "\n# a remark\n\n").settings.size(), 1U);
}

TEST(TuningFile, WhatIsNoFileIsNotRead) {
  const std::filesystem::path folder = testing::TempDir();
  EXPECT_EQ(tuning::read_file(folder).ignored, "it is no file");
  EXPECT_EQ(tuning::read_file(folder / "nothing.txt").ignored, "");
  const std::filesystem::path large = folder / "large_tuning.txt";
  std::ofstream(large) << std::string(tuning::most_file_bytes + 1, ' ');
  EXPECT_NE(tuning::read_file(large).ignored.find("larger than"), std::string::npos);
  std::filesystem::remove(large);
}

TEST(Tunables, EachHasChoicesAndASource) {
  std::set<std::string> names;
  for (const Tunable* each : tuning::tunables()) {
    EXPECT_TRUE(names.insert(std::string(each->primitive) + "." + std::string(each->name)).second);
    EXPECT_GE(each->choices.size(), 2U) << each->name;
    EXPECT_EQ(std::set<int>(each->choices.begin(), each->choices.end()).size(),
              each->choices.size());
    EXPECT_EQ(tuning::source_hash(each->primitive).size(), 16U);
  }
  EXPECT_EQ(tuning::source_hash("nothing"), "");
  EXPECT_NE(tuning::source_hash("copy"), tuning::source_hash("sobel"));
}

// Compares the results of calls with each value of a tunable; on a GPU, even an emulated one.
class TunedCalls : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  }

  GuardedImage& input(ElementType type, std::int64_t width, std::int64_t height, int channels = 1) {
    inputs_.emplace_back(type, width, height, channels, test::Layout{0, 16});
    inputs_.back().fill_random(inputs_.size());
    return inputs_.back();
  }

  /// `call` gets views of the inputs, a view of the output and, on a GPU, a stream.
  template <class Call>
  void expect_equal_results(const GuardedImage& output, const Call& call) {
    GuardedImage expected = output;
    std::vector<ConstHostView> views;
    for (const GuardedImage& image : inputs_) views.push_back(image.view());
    call(views, expected.view());
    const std::vector<Key> asked = run(output, expected, {}, call);
    EXPECT_FALSE(asked.empty());
    for (const Key& key : asked) {
      for (const int value : key.tunable->choices) {
        // The choice of a kernel adds that kernel's own tunables.
        for (const Key& inner : run(output, expected, {{key, value}}, call)) {
          if (std::find(asked.begin(), asked.end(), inner) != asked.end()) continue;
          for (const int own : inner.tunable->choices) {
            run(output, expected, {{key, value}, {inner, own}}, call);
          }
        }
      }
    }
    inputs_.clear();
  }

  /// Expects every tunable of a primitive to be used; otherwise the calls above prove too little.
  void expect_all_asked(std::string_view primitive) const {
    for (const Tunable* each : tuning::tunables()) {
      if (each->primitive != primitive) continue;
      EXPECT_TRUE(seen_.contains(each)) << each->name;
    }
  }

 private:
  template <class Call>
  std::vector<Key> run(const GuardedImage& output, const GuardedImage& expected,
                       std::vector<Setting> settings, const Call& call) {
    std::string what;
    for (const Setting& each : settings) what += tuning::text_of(each) + " ";
    SCOPED_TRACE(what);
    const gpu::Stream stream;
    std::vector<OnDevice> inputs;
    std::vector<ConstDeviceView> views;
    inputs.reserve(inputs_.size());
    for (GuardedImage& image : inputs_) inputs.emplace_back(image, stream);
    for (OnDevice& image : inputs) views.push_back(image.view());
    GuardedImage actual = output;
    OnDevice on_device(actual, stream);
    const Trial trial(std::move(settings));
    call(views, on_device.view(), gpu::StreamHandle(stream));
    on_device.download(stream);
    test::expect_equal(expected.view(), actual.view());
    actual.expect_guards_intact();
    std::vector<Key> keys;
    for (const Setting& each : trial.asked()) {
      keys.push_back(each.key);
      seen_.insert(each.key.tunable);
    }
    return keys;
  }

  std::vector<GuardedImage> inputs_;
  std::set<const Tunable*> seen_;
};

TEST_F(TunedCalls, Copy) {
  input(ElementType::u8, 9001, 3);
  expect_equal_results(
      GuardedImage(ElementType::u8, 9001, 3),
      [](const auto& in, auto out, auto... stream) { copy(in[0], out, stream...); });
  expect_all_asked("copy");
}

TEST_F(TunedCalls, Convert) {
  for (const auto& [format, channels] :
       {std::pair{PixelFormat::rgb24, 3}, {PixelFormat::rgba32, 4}, {PixelFormat::yuyv, 2}}) {
    input(ElementType::u8, 300, 37, channels);
    expect_equal_results(
        GuardedImage(ElementType::u8, 300, 37), [&](const auto& in, auto out, auto... stream) {
          using From = std::conditional_t<sizeof...(stream) == 0, ConstHostFrame, ConstDeviceFrame>;
          using To = std::conditional_t<sizeof...(stream) == 0, HostFrame, DeviceFrame>;
          convert(From(format, in[0]), To(PixelFormat::gray8, out), {}, stream...);
        });
  }
  expect_all_asked("convert");
}

TEST_F(TunedCalls, Sobel) {
  for (const int channels : {1, 4}) {
    input(ElementType::u8, 300, 75, channels);
    expect_equal_results(
        GuardedImage(ElementType::u8, 300, 75),
        [](const auto& in, auto out, auto... stream) { sobel(in[0], out, {}, stream...); });
  }
  expect_all_asked("sobel");
}

TEST_F(TunedCalls, Threshold) {
  for (const auto& [type, window] :
       {std::pair{ElementType::u8, 31}, {ElementType::u8, 73}, {ElementType::u16, 33}}) {
    ThresholdOptions options;
    options.window = window;
    options.offset = 3;
    input(type, 431, 97);
    expect_equal_results(GuardedImage(type, 431, 97),
                         [&](const auto& in, auto out, auto... stream) {
                           if constexpr (sizeof...(stream) == 0)
                             threshold(in[0], out, options);
                           else
                             threshold(in[0], out, options, stream...);
                         });
  }
  expect_all_asked("threshold");
}

TEST_F(TunedCalls, Match) {
  for (const Measure measure : {Measure::ssd, Measure::zncc}) {
    MatchOptions options;
    options.measure = measure;
    options.block_width = options.block_height = 16;
    options.search_x = options.search_y = {-12, 13};
    input(ElementType::u8, 96, 64);
    input(ElementType::u8, 96, 64);
    expect_equal_results(GuardedImage(ElementType::i16, 6, 4, 2),
                         [&](const auto& in, auto out, auto... stream) {
                           if constexpr (sizeof...(stream) == 0)
                             match(in[0], in[1], out, options);
                           else
                             match(in[0], in[1], out, options, std::nullopt, stream...);
                         });
  }
  expect_all_asked("match");
}

TEST_F(TunedCalls, Disparity) {
  for (const auto& [measure, range] : {std::pair{Measure::sad, 31}, {Measure::zncc, 90}}) {
    const DisparityOptions options{5, range, measure, 1, false};
    input(ElementType::u8, 140, 61);
    input(ElementType::u8, 140, 61);
    expect_equal_results(GuardedImage(ElementType::f32, 140, 61),
                         [&](const auto& in, auto out, auto... stream) {
                           disparity(in[0], in[1], out, options, stream...);
                         });
  }
  expect_all_asked("disparity");
}

TEST_F(TunedCalls, Gemv) {
  for (const bool transpose : {false, true}) {
    input(ElementType::f32, 520, 700);
    input(ElementType::f32, transpose ? 700 : 520, 1);
    expect_equal_results(GuardedImage(ElementType::f32, transpose ? 520 : 700, 1),
                         [&](const auto& in, auto out, auto... stream) {
                           gemv(in[0], in[1], out, {1, 0, transpose}, stream...);
                         });
  }
  expect_all_asked("gemv");
}

// Sets a temporary cache folder; restores the user's at the end.
class OwnFile {
 public:
  OwnFile() : folder_(std::filesystem::path(testing::TempDir()) / "warpwise_tuning_test") {
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    std::filesystem::create_directories(folder_ / "warpwise");
  }
  ~OwnFile() {
    ::unsetenv("XDG_CACHE_HOME");
    ::unsetenv("WARPWISE_TUNING");
    std::filesystem::remove_all(folder_);
    tuning::reload();
  }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  void write(const std::string& text) const {
    std::ofstream(tuning::file_path(), std::ios::binary) << text;
    tuning::reload();
  }

 private:
  std::filesystem::path folder_;
};

Entry copy_entry(const tuning::Gpu& gpu) {
  Entry made = entry(128, "faster", 1.5);
  made.primitive = "copy";
  made.tunable = "block_threads";
  made.kind = "any";
  made.size = tuning::size_class(4096 * 3);
  made.source = tuning::source_hash("copy");
  made.gpu = gpu;
  return made;
}

TEST_F(TunedCalls, LoadTheUsersFile) {
  const OwnFile file;
  const Entry own = copy_entry(tuning::current_gpu());
  file.write(file_of({own}));
  ASSERT_EQ(tuning::in_effect().size(), 1U);
  EXPECT_EQ(tuning::text_of(tuning::in_effect()[0]), "copy.block_threads=128 of any from 2^12");
  const auto taken_by_copy = [] {
    const gpu::Stream stream;
    gpu::DeviceImage from(ElementType::u8, 4096, 3, 1, stream);
    gpu::DeviceImage to(ElementType::u8, 4096, 3, 1, stream);
    gpu::fill_bytes(from.view().data(), 0, 3 * from.view().pitch_bytes(), stream);
    const Trial watch;
    copy(from.view(), to.view(), stream);
    stream.synchronize();
    return watch.asked()[0].value;
  };
  EXPECT_EQ(taken_by_copy(), 128);

  ::setenv("WARPWISE_TUNING", "off", 1);
  tuning::reload();
  EXPECT_TRUE(tuning::in_effect().empty());
  EXPECT_EQ(taken_by_copy(), 0);
  ::unsetenv("WARPWISE_TUNING");

  Entry foreign = own;
  foreign.gpu.name = "another GPU";
  for (const std::string& text : {std::string(), std::string("warpwise tuning 1\n\0\xff\n", 21),
                                  file_of({foreign}), replaced(file_of({own}), "=128", "=129"),
                                  replaced(file_of({own}), "tuning 1", "tuning 9")}) {
    file.write(text);
    EXPECT_TRUE(tuning::in_effect().empty()) << text;
  }
  std::filesystem::remove(tuning::file_path());
  tuning::reload();
  EXPECT_TRUE(tuning::in_effect().empty());
}

}  // namespace
}  // namespace warpwise
