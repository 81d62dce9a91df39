#include "warpwise/io/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/files.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/npy.hpp"
#include "warpwise/io/picture_file.hpp"

namespace warpwise::io {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

class InputFileTest : public ::testing::Test, protected test::Files {
 protected:
  std::string file_of(const std::string& content) const { return write("in", content); }
};

std::string why_not_read(const std::string& path) {
  return test::message_of<IoError>([&] {
    InputFile file(path);
    read_picture(file);
  });
}

bool contains(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

std::string npy_of_bytes(int height, int width) {
  const auto header = npy_header(PictureShape::interleaved(ElementType::u8, 1, width, height));
  return {reinterpret_cast<const char*>(header.data()), header.size()};
}

TEST_F(InputFileTest, ReadsTheRestUpToAGivenSize) {
  const std::string path = file_of("abcdef");
  for (const std::size_t most : {6, 7, 1000}) {
    InputFile file(path);
    std::vector<std::byte> content;
    file.read_some(content, 2);
    EXPECT_EQ(content.size(), 2U);
    EXPECT_TRUE(file.read_rest(content, most));
    EXPECT_EQ(content.size(), 6U);
    EXPECT_EQ(content[5], std::byte{'f'});
  }
  {
    InputFile file(path);
    std::vector<std::byte> content;
    file.read_some(content, 6);
    EXPECT_TRUE(file.read_rest(content, 6)) << "all of it was read before";
  }
  for (const std::size_t most : {0, 1, 2, 5}) {
    InputFile file(path);
    std::vector<std::byte> content;
    file.read_some(content, 2);
    EXPECT_FALSE(file.read_rest(content, most));
  }
}

TEST_F(InputFileTest, ReadsWhatWasLookedAt) {
  InputFile file(file_of("abcdef"));
  EXPECT_EQ(file.peek(2).size(), 2U);
  EXPECT_EQ(file.peek(4).back(), std::byte{'d'});
  EXPECT_EQ(file.peek(1).size(), 1U);
  std::vector<std::byte> content;
  file.read_some(content, 3);  // fewer bytes than peek() returned
  EXPECT_EQ(content.back(), std::byte{'c'});
  EXPECT_EQ(file.peek(100).size(), 3U);
  EXPECT_TRUE(file.read_rest(content, 6));
  EXPECT_EQ(content.size(), 6U);
  EXPECT_EQ(content.back(), std::byte{'f'});
  EXPECT_TRUE(file.peek(1).empty());
}

TEST_F(InputFileTest, EndsInADeviceWithoutAnEnd) {
  InputFile zeros("/dev/zero");
  EXPECT_TRUE(zeros.is_device());
  EXPECT_FALSE(InputFile(file_of("a")).is_device());
  std::vector<std::byte> content;
  EXPECT_FALSE(zeros.read_rest(content, 5'000'000));
  EXPECT_LE(content.size(), 5'000'001U);
  EXPECT_TRUE(contains(why_not_read("/dev/zero"), "/dev/zero: it is no image"));
}

TEST_F(InputFileTest, EnlargesAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int before = ::fcntl(ends[0], F_GETPIPE_SZ);
  InputFile file("/dev/fd/" + std::to_string(ends[0]));
  const int after = ::fcntl(ends[0], F_GETPIPE_SZ);
  ::close(ends[0]);
  std::vector<char> content(static_cast<std::size_t>(after), 'x');
  ASSERT_EQ(::write(ends[1], content.data(), content.size()), after);
  ::close(ends[1]);
  std::vector<std::byte> read;
  ASSERT_TRUE(file.read_rest(read, 2 * content.size()));
  EXPECT_EQ(read.size(), content.size());
  if (after == before) GTEST_SKIP() << "this system grants no larger pipes";
  EXPECT_EQ(after, 1 << 20);
}

TEST_F(InputFileTest, RefusesAnEmptyName) {
  EXPECT_TRUE(contains(why_not_read(""), "name is empty"));
}

// A file that claims more bytes than it has must not get memory for them.
TEST_F(InputFileTest, ReadsAnNpyFileAsFarAsItsHeaderSays) {
  const std::string header = npy_of_bytes(4, 2);
  EXPECT_EQ(why_not_read(file_of(header + "abcdefgh")), "");
  EXPECT_TRUE(
      contains(why_not_read(file_of(header + "abcdefghi")), "8 bytes of elements, it has 9"));
  EXPECT_TRUE(contains(why_not_read(file_of(header + "abc")), "8 bytes of elements, it has 3"));
  EXPECT_TRUE(contains(why_not_read(file_of(npy_of_bytes(1 << 30, 1 << 30) + "abc")), "it has 3"));
  EXPECT_TRUE(
      contains(why_not_read(file_of("\x93NUMPY\2\0\xff\xff\xff\xff"s)), "header is damaged"));
}

TEST_F(InputFileTest, SaysWhatAFileIsThatIsNoPicture) {
  EXPECT_TRUE(contains(why_not_read(file_of("")), "it is empty"));
  EXPECT_TRUE(contains(why_not_read(file_of("hello")), "no image of a known format"));
}

TEST_F(InputFileTest, ReadsNoMoreOfASparseFileThanAnImageHas) {
  const std::string path = file_of("\x89PNG\r\n\x1a\n");
  fs::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_TRUE(contains(why_not_read(path), "over 2 GiB"));
}

TEST(WhyNotHeld, NamesTheReason) {
  const auto grey = PictureShape::interleaved(ElementType::u8, 1, 1, 1);
  EXPECT_TRUE(contains(why_not_held("a.gif", grey), "a.gif cannot hold gray8: no .gif files are"));
  EXPECT_TRUE(contains(why_not_held("a", grey), "no extension"));
  EXPECT_EQ(why_not_held("a.pfm", grey).find("a.pfm cannot hold gray8; files of"), 0U);
}

}  // namespace
}  // namespace warpwise::io
