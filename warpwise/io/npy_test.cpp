#include "warpwise/io/npy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "tests/support/files.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::io {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Makes an .npy file of `header`, followed by `element_bytes` bytes 0, 1, 2, …
std::vector<std::byte> npy(const std::string& header, int element_bytes, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  if (version > 1) text += std::string(2, '\0');
  text += header;
  for (int i = 0; i < element_bytes; ++i) text += static_cast<char>(i);
  return bytes_of(text);
}

std::string refusal(const std::vector<std::byte>& content) {
  return test::message_of<IoError>([&] { decode_npy(content, "a.npy"); });
}

TEST(Npy, ReadsWhatItWrote) {
  for (const ElementType type :
       {ElementType::u8, ElementType::u16, ElementType::i16, ElementType::u32, ElementType::i32,
        ElementType::f16, ElementType::f32}) {
    for (const int channels : {1, 3, 4}) {
      Picture picture(PictureShape::interleaved(type, channels, 5, 3));
      for (std::size_t i = 0; i < picture.bytes().size(); ++i) {
        picture.bytes()[i] = static_cast<std::byte>(7 * i);
      }
      std::vector<std::byte> file = npy_header(picture.shape());
      EXPECT_EQ(file.size() % 64, 0U);
      file.insert(file.end(), picture.bytes().begin(), picture.bytes().end());
      const Picture read = decode_npy(file, "a.npy");
      EXPECT_EQ(read.shape().type, type);
      EXPECT_EQ(read.shape().channels, channels);
      EXPECT_EQ(read.shape().width, 5);
      EXPECT_EQ(read.shape().height, 3);
      EXPECT_EQ(std::memcmp(read.bytes().data(), picture.bytes().data(), read.bytes().size()), 0);
    }
  }
}

TEST(Npy, ReadsTheVectorItWrote) {
  for (const ElementType type : {ElementType::f16, ElementType::f32}) {
    std::vector<std::byte> file = npy_vector_header(type, 7);
    EXPECT_EQ(file.size() % 64, 0U);
    for (int i = 0; i < 7 * size_of(type); ++i) file.push_back(static_cast<std::byte>(i));
    const Picture read = decode_npy_vector(file, "a.npy");
    EXPECT_EQ(read.shape().type, type);
    EXPECT_EQ(read.shape().width, 7);
    EXPECT_EQ(read.shape().height, 1);
    EXPECT_EQ(read.bytes()[5], std::byte{5});
    EXPECT_NE(refusal(file).find("(height, width)"), std::string::npos);
    file.pop_back();
    EXPECT_THROW(decode_npy_vector(file, "a.npy"), IoError);
  }
  EXPECT_THROW(
      decode_npy_vector(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }\n", 4),
                        "a.npy"),
      IoError);
  EXPECT_THROW(decode_npy_vector(
                   npy("{'descr': '|u1', 'fortran_order': False, 'shape': (0,), }\n", 0), "a.npy"),
               IoError);
}

TEST(Npy, ReadsElementsOfAnyWidthAndShape) {
  for (const char kind : {'u', 'i', 'f'}) {
    for (const int bytes : {1, 2, 4, 8}) {
      if (kind == 'f' && bytes == 1) continue;
      std::vector<std::byte> file = npy_vector_header(kind, bytes, 3);
      EXPECT_EQ(file.size() % 64, 0U);
      for (int i = 0; i < 3 * bytes; ++i) file.push_back(static_cast<std::byte>(i));
      const NpyElements read = decode_npy_elements(file, "a.npy");
      EXPECT_EQ(read.kind, kind);
      EXPECT_EQ(read.element_bytes, bytes);
      EXPECT_EQ(read.shape, std::vector<std::int64_t>{3});
      EXPECT_TRUE(std::equal(read.elements.begin(), read.elements.end(), file.end() - 3 * bytes));
      file.pop_back();
      EXPECT_THROW(decode_npy_elements(file, "a.npy"), IoError);
    }
  }
  const auto swapped = decode_npy_elements(
      npy("{'descr': '>f8', 'fortran_order': False, 'shape': (1, 1, 1, 1), }\n", 8), "a.npy");
  EXPECT_EQ(swapped.shape.size(), 4U);
  EXPECT_EQ(swapped.elements.front(), std::byte{7});
  for (const char* text :
       {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }\n",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, "
        "4611686018427387904), }\n"}) {
    EXPECT_THROW(decode_npy_elements(npy(text, 8), "a.npy"), IoError) << text;
  }
}

TEST(Npy, HeaderIsNumPysOwnText) {
  const auto header = npy_header(PictureShape::interleaved(ElementType::i16, 1, 640, 480));
  const std::string text(reinterpret_cast<const char*>(header.data()), header.size());
  EXPECT_EQ(text.substr(10, 59), "{'descr': '<i2', 'fortran_order': False, 'shape': (480, 640");
  EXPECT_EQ(text.back(), '\n');
}

TEST(Npy, WritesThreePlanesAsThreeMatrices) {
  const auto header = npy_header(PictureShape::of(PixelFormat::i444, 7, 2));
  const std::string text(reinterpret_cast<const char*>(header.data()), header.size());
  EXPECT_NE(text.find("'shape': (3, 2, 7)"), std::string::npos);
}

TEST(Npy, RefusesToWriteSubsampledFrames) {
  EXPECT_THROW(npy_header(PictureShape::of(PixelFormat::nv12, 4, 4)), InvalidArgument);
  EXPECT_THROW(npy_header(PictureShape::of(PixelFormat::yuyv, 4, 4)), InvalidArgument);
}

TEST(Npy, ReadsVersionsTwoAndThree) {
  for (const char version : {2, 3}) {
    const Picture picture = decode_npy(
        npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", 6, version), "a.npy");
    EXPECT_EQ(picture.shape().width, 3);
    EXPECT_EQ(picture.bytes()[5], std::byte{5});
  }
}

TEST(Npy, TurnsBigEndianElements) {
  const Picture picture =
      decode_npy(npy("{'descr': '>u2', 'fortran_order': False, 'shape': (1, 2)}", 4), "a.npy");
  EXPECT_EQ(load<std::uint16_t>(picture.bytes().data(), 0), 0x0001);
  EXPECT_EQ(load<std::uint16_t>(picture.bytes().data(), 1), 0x0203);
}

TEST(Npy, SaysWhatItCannotRead) {
  const auto u1 = [](const std::string& rest) { return "{'descr': '|u1', " + rest + "}"; };
  EXPECT_NE(refusal(npy(u1("'fortran_order': True, 'shape': (2, 2)"), 4)).find("Fortran"),
            std::string::npos);
  EXPECT_NE(
      refusal(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", 8)).find("<f8"),
      std::string::npos);
  EXPECT_NE(refusal(npy("{'descr': [('r', '|u1')], 'fortran_order': False, 'shape': (1, 1)}", 1))
                .find("not a plain number"),
            std::string::npos);
  for (const char* shape : {"()", "(4,)", "(2, 2, 5)", "(2, 2, 2, 2)"}) {
    const std::string said =
        refusal(npy(u1("'fortran_order': False, 'shape': " + std::string(shape)), 4));
    EXPECT_NE(said.find("(height, width)"), std::string::npos) << shape << ": " << said;
  }
  EXPECT_NE(refusal(npy(u1("'fortran_order': False, 'shape': (2, 3)"), 5)).find("6 bytes"),
            std::string::npos);
  EXPECT_NE(refusal(npy(u1("'fortran_order': False, 'shape': (2, 3)"), 7)).find("it has 7"),
            std::string::npos);
}

TEST(Npy, SaysThatAnArrayIsEmpty) {
  for (const char* shape : {"(0, 5)", "(5, 0)", "(4, 5, 0)"}) {
    const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': ";
    const std::string said = refusal(npy(header + shape + "}", 0));
    EXPECT_NE(said.find("it has no elements"), std::string::npos) << said;
  }
}

TEST(Npy, RefusesDamagedHeaders) {
  const auto good = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", 6);
  for (std::size_t length = 0; length + 1 < good.size(); ++length) {
    EXPECT_THROW(decode_npy({good.begin(), good.begin() + length}, "a.npy"), IoError) << length;
  }
  EXPECT_THROW(decode_npy(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, x)}", 6), "a"),
               IoError);
  EXPECT_THROW(
      decode_npy(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (-2, 3)}", 6), "a"),
      IoError);
  EXPECT_THROW(decode_npy(npy("{'descr': '|u1', 'fortran_order': maybe, 'shape': (2, 3)}", 6), "a"),
               IoError);
  EXPECT_THROW(decode_npy(npy("{'descr': '|u1', 'shape': (2, 3)}", 6), "a"), IoError);
  EXPECT_THROW(
      decode_npy(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", 6, 4), "a"),
      IoError);
}

TEST(Npy, RefusesEachDamagedField) {
  for (const auto& [header, why] :
       {std::pair("{'descr': |u1', 'fortran_order': False, 'shape': (2, 3)}", "plain number"),
        std::pair("{'descr': '|u1, fortran_order: False, shape: (2, 3)}", "plain number"),
        std::pair("{'fortran_order': False, 'shape': (2, 3), 'descr':", "plain number"),
        std::pair("{'fortran_order': False, 'shape': (2, 3), 'descr'", "plain number"),
        std::pair("{'fortran_order': False, 'shape': (2, 3)}", "no descr"),
        std::pair("{'descr': '', 'fortran_order': False, 'shape': (2, 3)}", "its elements are ;"),
        std::pair("{'descr': '|u', 'fortran_order': False, 'shape': (2, 3)}", "are |u;"),
        std::pair("{'descr': '|u9', 'fortran_order': False, 'shape': (2, 3)}", "are |u9;"),
        std::pair("{'descr': '|u0', 'fortran_order': False, 'shape': (2, 3)}", "are |u0;"),
        std::pair("{'descr': '|u1', 'fortran_order': False, 'shape': 2, 3}", "damaged"),
        std::pair("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3", "damaged"),
        std::pair("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3,", "damaged")}) {
    const auto file = npy(header, 6);
    EXPECT_NE(refusal(file).find(why), std::string::npos) << header << ": " << refusal(file);
    EXPECT_THROW(decode_npy_elements(file, "a.npy"), IoError) << header;
  }
  const PictureShape bf16 = PictureShape::interleaved(ElementType::bf16, 1, 2, 3);
  EXPECT_THROW(npy_header(bf16), InvalidArgument);
  EXPECT_FALSE(npy_holds(bf16));
}

class NpyFile : public ::testing::Test, protected test::Files {
 protected:
  std::string refusal_of(const std::vector<std::byte>& content) const {
    const auto* text = reinterpret_cast<const char*>(content.data());
    InputFile file(write("a.npy", {text, content.size()}));
    return test::message_of<IoError>([&] { decode_npy(read_npy(file), "a.npy"); });
  }
};

TEST_F(NpyFile, IsReadNoFurtherThanItsHeaderSays) {
  const std::string good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(refusal_of(npy(good, 6)), "");
  for (const int bytes : {5, 7}) {
    const std::string said = refusal_of(npy(good, bytes));
    EXPECT_NE(said.find("needs 6 bytes of elements, it has " + std::to_string(bytes)),
              std::string::npos)
        << said;
  }
  for (const char* header : {"{'descr': '|u9', 'fortran_order': False, 'shape': (2, 3)}",
                             "{'descr': '|u', 'fortran_order': False, 'shape': (2, 3)}",
                             "{'descr': '|u1', 'fortran_order': False, "
                             "'shape': (4611686018427387904, 4611686018427387904)}"}) {
    EXPECT_NE(refusal_of(npy(header, 6)), "") << header;
  }
  std::vector<std::byte> large = npy(good, 6, 2);
  large[10] = std::byte{0x20};  // a header of 2 MiB
  EXPECT_NE(refusal_of(large).find("its header is damaged"), std::string::npos);
}

// A pipe's size is not known before the pipe ends.
TEST_F(NpyFile, APipeWithMoreThanItsHeaderSaysIsRefused) {
  const auto content = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", 7);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], content.data(), content.size()), std::ssize(content));
  ::close(ends[1]);
  InputFile file("/proc/self/fd/" + std::to_string(ends[0]));
  const std::string said = test::message_of<IoError>([&] { read_npy(file); });
  ::close(ends[0]);
  EXPECT_NE(said.find("needs 6 bytes of elements, it has more"), std::string::npos) << said;
}

TEST(Npy, RefusesSizesBeyond64Bits) {
  for (const char* shape : {"(4294967296, 4294967296)", "(99999999999999999999, 1)"}) {
    const std::string said = refusal(
        npy("{'descr': '|u1', 'fortran_order': False, 'shape': " + std::string(shape) + "}", 0));
    EXPECT_NE(said.find("a.npy cannot be read"), std::string::npos) << shape << ": " << said;
  }
}

TEST(Npy, RefusesByteOrdersThatDoNotExist) {
  for (const char* type : {"!u2", "xu2", "\xffu2"}) {
    const auto file =
        npy("{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (1, 1)}", 2);
    EXPECT_NE(refusal(file).find(type), std::string::npos) << refusal(file);
  }
}

}  // namespace
}  // namespace warpwise::io
