#include "warpwise/io/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/input_file.hpp"

namespace {
std::atomic<std::chrono::milliseconds> unlink_takes{};
std::atomic<int> zeros = 0;  // number of further calls of getrandom() that give only zeros
}  // namespace

// Replaces the C library's unlink() with a slow one.
extern "C" int unlink(const char* path) noexcept {
  std::this_thread::sleep_for(unlink_takes.load());
  return ::unlinkat(AT_FDCWD, path, 0);
}

// Replaces the C library's getrandom(). The next `zeros` calls give only zeros.
extern "C" ssize_t getrandom(void* to, std::size_t bytes, unsigned flags) {
  if (zeros-- <= 0) return ::syscall(SYS_getrandom, to, bytes, flags);
  std::memset(to, 0, bytes);
  return static_cast<ssize_t>(bytes);
}

namespace warpwise::io {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test, protected test::Files {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::span<const std::byte> bytes(const std::string& text) {
    return std::as_bytes(std::span(text));
  }
};

TEST_F(OutputFileTest, AppearsWholeWhenFinished) {
  OutputFile file(path("a"));
  file.write(bytes("one "));
  EXPECT_FALSE(fs::exists(path("a")));
  file.write(bytes("two"));
  file.finish();
  EXPECT_EQ(read("a"), "one two");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, LeavesNothingWhenNotFinished) {
  std::ofstream(path("a")) << "before";
  {
    OutputFile file(path("a"));
    file.write(bytes("partial"));
  }
  EXPECT_EQ(read("a"), "before");
  EXPECT_EQ(files(), 1U);
}

extern "C" void end_on_signal(int) {
  remove_unfinished_files();
  ::_exit(7);
}

// The code runs in a child process, which the signal ends.
TEST_F(OutputFileTest, LeavesNothingAfterASignal) {
  const auto write_until_the_signal = [this] {
    std::signal(SIGTERM, end_on_signal);
    OutputFile file(path("a"));
    file.write(bytes("partial"));
    if (files() != 1) ::_exit(1);
    std::raise(SIGTERM);
  };
  EXPECT_EXIT(write_until_the_signal(), ::testing::ExitedWithCode(7), "");
  EXPECT_EQ(files(), 0U);
}

// Each thread writes one file after another. A file that a thread begins while the handler runs on
// another thread must not remain.
TEST_F(OutputFileTest, LeavesNothingOfOtherThreadsAfterASignal) {
  const auto write_until_the_signal = [this] {
    std::signal(SIGTERM, end_on_signal);
    std::vector<std::jthread> threads;
    for (const char name : {'a', 'b', 'c', 'd'}) {
      threads.emplace_back([this, name] {
        for (;;) OutputFile(path(std::string(1, name))).write(bytes("partial"));
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::raise(SIGTERM);
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_EXIT(write_until_the_signal(), ::testing::ExitedWithCode(7), "");
    ASSERT_EQ(files(), 0U);
  }
}

// A thread removes its file while the handler runs. A slow unlink() lets the two overlap.
TEST_F(OutputFileTest, LeavesNothingThatGoesAwayWhileTheHandlerRuns) {
  const auto drop_while_ending = [this] {
    std::optional<OutputFile> first(path("a"));
    std::optional<OutputFile> second(path("b"));
    unlink_takes = std::chrono::milliseconds(20);
    std::jthread drops([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      second.reset();
    });
    remove_unfinished_files();
    ::_exit(7);
  };
  EXPECT_EXIT(drop_while_ending(), ::testing::ExitedWithCode(7), "");
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFileTest, KeepsThePermissionsOfWhatItReplacesAndElseTheUmasks) {
  const mode_t before = ::umask(027);
  std::ofstream(path("old")) << "x";
  ::chmod(path("old").c_str(), 0604);
  for (const char* name : {"old", "new"}) {
    OutputFile file(path(name));
    file.finish();
  }
  ::umask(before);
  struct stat status{};
  ASSERT_EQ(::stat(path("old").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0604U);
  ASSERT_EQ(::stat(path("new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST_F(OutputFileTest, WritesThroughALink) {
  std::ofstream(path("real")) << "before";
  fs::create_symlink("real", path("link"));
  OutputFile file(path("link"));
  file.write(bytes("after"));
  file.finish();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read("real"), "after");
}

TEST_F(OutputFileTest, MakesTheTargetOfALinkThatLeadsNowhere) {
  fs::create_directory(path("folder"));
  fs::create_symlink("folder/second", path("first"));
  fs::create_symlink("new", path("folder/second"));
  OutputFile file(path("first"));
  file.write(bytes("after"));
  file.finish();
  EXPECT_TRUE(fs::is_symlink(path("first")) && fs::is_symlink(path("folder/second")));
  EXPECT_EQ(read("folder/new"), "after");
}

TEST_F(OutputFileTest, RefusesLinksThatLeadInACircle) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_EQ(test::message_of<IoError>([&] { OutputFile(path("a")); }),
            "cannot write " + path("a") + ": Too many levels of symbolic links");
  EXPECT_EQ(files(), 2U);
}

// Temporary names must not consist of the process number and a count. An earlier process, or one in
// another container, may have the same number, so its unfinished files could be overwritten.
TEST_F(OutputFileTest, LeavesUnfinishedFilesOfOthersAlone) {
  const std::string others = ".warpwise-" + std::to_string(::getpid()) + "-";
  constexpr std::size_t count = 3000;  // more files than the tests of this program make
  for (std::size_t i = 0; i < count; ++i) write(others + std::to_string(i), "theirs");
  OutputFile(path("a")).finish();
  EXPECT_EQ(files(), count + 1);
  EXPECT_EQ(read(others + "0"), "theirs");
}

TEST_F(OutputFileTest, ChoosesAnotherNameIfAFileHasIt) {
  zeros = 3;
  OutputFile first(path("a"));
  first.write(bytes("1"));
  OutputFile second(path("b"));
  EXPECT_LE(zeros, 0);
  EXPECT_EQ(files(), 2U);
  second.finish();
  first.finish();
  EXPECT_EQ(read("a"), "1");
  EXPECT_EQ(read("b"), "");
}

TEST_F(OutputFileTest, MoveHandsTheFileOver) {
  OutputFile first(path("a"));
  first.write(bytes("1"));
  OutputFile second(std::move(first));
  second.write(bytes("2"));
  second.finish();
  EXPECT_EQ(read("a"), "12");
}

TEST_F(OutputFileTest, SaysWhyItCannotBeWritten) {
  const auto refusal = [](const std::string& where) -> std::string {
    return test::message_of<IoError>([&] {
      OutputFile file(where);
      file.write(bytes(std::string(100'000, 'x')));
      file.finish();
    });
  };
  EXPECT_EQ(refusal(path("none/a")),
            "cannot write " + path("none/a") + ": its folder does not exist");
  EXPECT_EQ(refusal("/proc/a"), "cannot write /proc/a: no file can be made in its folder");
  const std::string long_name = path(std::string(300, 'a'));
  EXPECT_EQ(refusal(long_name), "cannot write " + long_name + ": File name too long");
  EXPECT_EQ(refusal("/dev/full"), "cannot write /dev/full: No space left on device");
  EXPECT_EQ(refusal(folder_.string()), "cannot write " + folder_.string() + ": Is a directory");
  std::ofstream(path("file")) << "x";
  EXPECT_EQ(refusal(path("file/a")), "cannot write " + path("file/a") + ": Not a directory");
}

TEST_F(OutputFileTest, RequireWritablePathRefusesWhatWritingWould) {
  const auto refusal = [](const std::string& where) {
    return test::message_of<IoError>([&] { require_writable_path(where); });
  };
  EXPECT_EQ(refusal(path("a")), "");
  EXPECT_EQ(refusal("-"), "");
  EXPECT_EQ(refusal("a"), "");
  EXPECT_EQ(refusal(folder_.string()), "cannot write " + folder_.string() + ": Is a directory");
  EXPECT_EQ(refusal(path("none/a")),
            "cannot write " + path("none/a") + ": its folder does not exist");
  EXPECT_EQ(test::message_of<IoError>([] { OutputFile(""); }),
            "cannot write '': the file's name is empty");
}

TEST_F(OutputFileTest, MoreFilesAtOnceThanThereIsRoomForAreRefused) {
  std::vector<OutputFile> files;
  const std::string refusal = test::message_of<IoError>([&] {
    for (std::size_t i = 0; i <= most_unfinished_files; ++i)
      files.emplace_back(path(std::to_string(i)));
  });
  EXPECT_EQ(refusal, "more than 512 files are being written at once");
  files.clear();
  OutputFile(path("a")).finish();
  EXPECT_TRUE(fs::exists(path("a")));
}

TEST_F(OutputFileTest, KnowsStandardOutput) {
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_TRUE(is_standard_output(name)) << name;
    EXPECT_TRUE(written_directly(name)) << name;
  }
  EXPECT_FALSE(is_standard_output(path("a")));
  EXPECT_FALSE(written_directly(path("a")));
  EXPECT_TRUE(written_directly("/dev/null"));
}

TEST_F(OutputFileTest, WritesPipesDirectlyAndNoticesThatTheReaderWentAway) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string name = "/proc/self/fd/" + std::to_string(ends[1]);
  {
    OutputFile file(name);
    file.write(bytes("through"));
    file.finish();
  }
  std::array<char, 8> read{};
  EXPECT_EQ(::read(ends[0], read.data(), read.size()), 7);
  OutputFile file(name);
  ::close(ends[0]);
  EXPECT_THROW(file.write(bytes("nobody reads")), IoError);
  ::close(ends[1]);
}

TEST_F(OutputFileTest, InputFileReadsAnySize) {
  for (const std::size_t size : {0, 1, 100'000, 3'000'000}) {
    std::ofstream(path("in")) << std::string(size, 'z');
    InputFile file(path("in"));
    std::vector<std::byte> content;
    EXPECT_TRUE(file.read_rest(content, 1 << 30));
    EXPECT_EQ(content.size(), size);
  }
  std::vector<std::byte> content;
  EXPECT_TRUE(InputFile("/proc/self/maps").read_rest(content, 1 << 30));
  EXPECT_GT(content.size(), 0U);  // /proc reports a size of 0
  EXPECT_THROW(InputFile(path("missing")), IoError);
  EXPECT_THROW(InputFile{folder_.string()}, IoError);
}

}  // namespace
}  // namespace warpwise::io
