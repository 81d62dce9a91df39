#include "warpwise/primitives/copy/copy.hpp"

#include <gtest/gtest.h>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;

class CopyTest : public test::BackendTest {
 protected:
  void copy_and_compare(std::int64_t width, std::int64_t height, int channels, Layout from,
                        Layout to) {
    GuardedImage src(ElementType::u8, width, height, channels, from);
    GuardedImage dst(ElementType::u8, width, height, channels, to);
    src.fill_random(static_cast<std::uint64_t>(width * 31 + height));
    if (GetParam() == Backend::cpu) {
      copy(src.view(), dst.view());
    } else {
      const gpu::Stream stream;
      OnDevice device_src(src, stream);
      OnDevice device_dst(dst, stream);
      copy(device_src.view(), device_dst.view(), stream);
      device_dst.download(stream);
    }
    test::expect_equal(src.view(), dst.view());
    dst.expect_guards_intact();
  }
};

TEST_P(CopyTest, AwkwardSizesAndLayouts) {
  for (const auto& size : test::awkward_sizes()) {
    for (const Layout& from : test::awkward_layouts()) {
      for (const Layout& to : test::awkward_layouts()) {
        SCOPED_TRACE(testing::Message() << size.width << "x" << size.height << " offsets "
                                        << from.offset_bytes << " to " << to.offset_bytes);
        copy_and_compare(size.width, size.height, 1, from, to);
      }
    }
  }
}

TEST_P(CopyTest, EveryRelativeAlignment) {
  for (std::int64_t from = 0; from < 16; ++from) {
    for (std::int64_t to = 0; to < 16; ++to) {
      for (const std::int64_t bytes : {1, 15, 16, 17, 47, 16 * 1024 - 1, 16 * 1024 + 33}) {
        copy_and_compare(bytes, 1, 1, {from, 0}, {to, 0});
      }
    }
  }
}

TEST_P(CopyTest, ElementsOfAnySize) {
  for (const int bytes : {1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 33, 100}) {
    copy_and_compare(61, 7, bytes, {0, 3}, {1, 0});
  }
}

TEST_P(CopyTest, LargerThanOneTask) {
  copy_and_compare(3001, 1003, 1, {0, 0}, {0, 0});
  copy_and_compare(3001, 1003, 1, {2, 9}, {1, 0});
}

TEST_P(CopyTest, RowsOfWholeAndOfIncompleteVectors) {
  for (const std::int64_t bytes : {1, 16, 61, 64, 1000, 4096 + 16}) {
    const std::int64_t gap = -bytes & 15;
    copy_and_compare(bytes, 7, 1, {0, gap}, {0, gap + 16});
    copy_and_compare(bytes, 7, 1, {0, gap}, {0, gap + 1});
    copy_and_compare(bytes, 7, 1, {0, gap}, {16, gap});
  }
  copy_and_compare(4096, 2100, 1, {0, 0}, {0, 0});
  copy_and_compare(4090, 2100, 1, {0, 6}, {0, 22});
}

TEST_P(CopyTest, MoreRowsThanAGridHas) { copy_and_compare(3, 70001, 1, {0, 1}, {1, 2}); }

TEST(Copy, ReferenceMovesEveryByte) {
  GuardedImage src(ElementType::u16, 9, 5, 3, {1, 3});
  GuardedImage dst(ElementType::u16, 9, 5, 3, {0, 0});
  src.fill_random(1);
  reference::copy(src.view(), dst.view());
  test::expect_equal(src.view(), dst.view());
}

TEST(Copy, RefusesViewsThatDiffer) {
  GuardedImage src(ElementType::u8, 4, 4);
  GuardedImage narrower(ElementType::u8, 3, 4);
  GuardedImage wider_type(ElementType::u16, 4, 4);
  EXPECT_THROW(copy(src.view(), narrower.view()), InvalidArgument);
  EXPECT_THROW(copy(src.view(), wider_type.view()), InvalidArgument);
}

TEST(Copy, RefusesOverlapAndTakesNeighbours) {
  GuardedImage image(ElementType::u8, 32, 8);
  const HostView view = image.view();
  EXPECT_THROW(copy(view.sub_view(0, 0, 16, 8), view.sub_view(15, 0, 16, 8)), InvalidArgument);
  EXPECT_THROW(copy(view, view), InvalidArgument);
  EXPECT_NO_THROW(copy(view.sub_view(0, 0, 16, 8), view.sub_view(16, 0, 16, 8)));
  EXPECT_NO_THROW(copy(view.sub_view(16, 0, 16, 8), view.sub_view(0, 0, 16, 8)));
}

TEST(Copy, SaysThatThereIsNoGpu) {
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  // A device view of host memory is never read: the missing GPU is found first.
  std::uint8_t pixel = 0;
  const DeviceView nowhere(&pixel, 1, 1);
  std::uint8_t other = 0;
  EXPECT_THROW(copy(nowhere, DeviceView(&other, 1, 1), nullptr), NoCudaDevice);
}

INSTANTIATE_TEST_SUITE_P(, CopyTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
