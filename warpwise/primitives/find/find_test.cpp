#include "warpwise/primitives/find/find.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "warpwise/cpu/threads.hpp"
#include "warpwise/primitives/find/backends.hpp"
#include "warpwise/primitives/find/cpu_plan.hpp"
#include "warpwise/primitives/find/launch.hpp"

namespace warpwise {

std::ostream& operator<<(std::ostream& out, const Finding& f) {
  return out << "(" << f.x << ", " << f.y << ") score " << f.score;
}
bool operator==(const Finding& a, const Finding& b) {
  return a.x == b.x && a.y == b.y && a.score == b.score;
}

namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;
using test::Size;

constexpr Measure measures[] = {Measure::sad, Measure::ssd, Measure::ncc, Measure::zncc};

/// Fills an image with pixels of `levels` values spread over 0 … 255; few levels make many ties.
void fill(GuardedImage& image, int levels, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const HostView view = image.view();
  for (std::int64_t y = 0; y < view.height(); ++y) {
    for (std::int64_t x = 0; x < view.width(); ++x) {
      const auto level = static_cast<int>(random() % static_cast<std::uint64_t>(levels));
      store(view.row(y), x, static_cast<std::uint8_t>(level * 255 / std::max(levels - 1, 1)));
    }
  }
}

class FindTest : public test::BackendTest {
 protected:
  /// Calls compare_with_reference(). A GPU always uses transforms; a CPU only if its rule says so.
  void compare_transforms(Size templ_size, Size image_size, int levels, Measure measure) {
    always_transforms_ = true;
    compare_with_reference(templ_size, image_size, levels, measure);
  }

  Finding find_with(GuardedImage& templ, GuardedImage& image, GuardedImage* map, Measure measure,
                    Layout best_layout = {}) {
    if (GetParam() == Backend::cpu) {
      return map == nullptr ? find(templ.view(), image.view(), measure)
                            : find(templ.view(), image.view(), map->view(), measure);
    }
    const gpu::Stream stream;
    GuardedImage best(ElementType::u8, sizeof(Finding), 1, 1, best_layout);
    OnDevice device_templ(templ, stream), device_image(image, stream), device_best(best, stream);
    std::optional<OnDevice> device_map;
    if (map != nullptr) device_map.emplace(*map, stream);
    if (always_transforms_) {
      std::optional<DeviceView> map_view;
      if (device_map) map_view = device_map->view();
      detail::find::find_cuda(device_templ.view(), device_image.view(), device_best.view(),
                              map_view, measure, stream, true);
    } else if (device_map) {
      find(device_templ.view(), device_image.view(), device_best.view(), device_map->view(),
           measure, stream);
    } else {
      find(device_templ.view(), device_image.view(), device_best.view(), measure, stream);
    }
    if (device_map) device_map->download(stream);
    device_best.download(stream);
    best.expect_guards_intact();
    Finding result;
    std::memcpy(&result, best.view().data(), sizeof(result));
    return result;
  }

  void compare_with_reference(GuardedImage& templ, GuardedImage& image, Measure measure,
                              ElementType map_type, Layout map_layout = {}) {
    SCOPED_TRACE(testing::Message()
                 << templ.view().width() << "x" << templ.view().height() << " in "
                 << image.view().width() << "x" << image.view().height() << " measure "
                 << static_cast<int>(measure) << " map " << name_of(map_type));
    const std::int64_t width = image.view().width() - templ.view().width() + 1;
    const std::int64_t height = image.view().height() - templ.view().height() + 1;
    GuardedImage expected(map_type, width, height), map(map_type, width, height, 1, map_layout);
    const Finding best = reference::find(templ.view(), image.view(), expected.view(), measure);
    EXPECT_EQ(find_with(templ, image, &map, measure, map_layout), best);
    test::expect_equal(expected.view(), map.view());
    map.expect_guards_intact();
    EXPECT_EQ(find_with(templ, image, nullptr, measure), best);
  }

  void compare_with_reference(Size templ_size, Size image_size, int levels, Measure measure) {
    GuardedImage templ(ElementType::u8, templ_size.width, templ_size.height);
    GuardedImage image(ElementType::u8, image_size.width, image_size.height);
    fill(templ, levels, static_cast<std::uint64_t>(templ_size.width));
    fill(image, levels, static_cast<std::uint64_t>(image_size.height) + 99);
    compare_with_reference(templ, image, measure, ElementType::f32);
    if (least_is_best(measure)) compare_with_reference(templ, image, measure, ElementType::u32);
  }

  bool always_transforms_ = false;  ///< true: a GPU uses transforms even if products are faster
};

TEST_P(FindTest, AwkwardSizesAndLayouts) {
  for (const Size& size : test::awkward_sizes()) {
    const Size templ_size{std::max<std::int64_t>(1, std::min<std::int64_t>(size.width / 3, 9)),
                          std::max<std::int64_t>(1, std::min<std::int64_t>(size.height / 2, 5))};
    const auto& layouts = test::awkward_layouts();
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      const auto layout = [&](std::size_t k) { return layouts[(i + k) % layouts.size()]; };
      GuardedImage templ(ElementType::u8, templ_size.width, templ_size.height, 1, layout(0));
      GuardedImage image(ElementType::u8, size.width, size.height, 1, layout(1));
      fill(templ, 256, i);
      fill(image, 256, i + 50);
      const Measure measure = measures[(i + static_cast<std::size_t>(size.width)) % 4];
      compare_with_reference(templ, image, measure, ElementType::f32, layout(2));
      if (least_is_best(measure)) {
        compare_with_reference(templ, image, measure, ElementType::u32, layout(2));
      }
    }
  }
}

TEST_P(FindTest, TemplatesOfEveryWidthAndHeight) {
  for (const Measure measure : measures) {
    for (const std::int64_t side :
         {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 69}) {
      compare_with_reference({side, 3}, {70, 9}, 256, measure);
      compare_with_reference({3, side}, {9, 70}, 256, measure);
    }
  }
}

TEST_P(FindTest, ATemplateAsLargeAsTheImage) {
  for (const Measure measure : measures) {
    for (const Size& size : test::awkward_sizes()) {
      if (size.width * size.height < 20000) compare_with_reference(size, size, 256, measure);
    }
  }
}

TEST_P(FindTest, TiesGoToTheFirstInRasterOrder) {
  for (const Measure measure : measures) {
    for (const int levels : {1, 2, 3}) {
      compare_with_reference({1, 1}, {301, 77}, levels, measure);
      compare_with_reference({2, 2}, {301, 77}, levels, measure);
      compare_with_reference({3, 1}, {140, 200}, levels, measure);
    }
  }
}

TEST_P(FindTest, TheLargestSums) {
  for (const Measure measure : measures) {
    for (const Size size : {Size{256, 256}, Size{66051, 1}, Size{70000, 1}, Size{3, 40000}}) {
      GuardedImage templ(ElementType::u8, size.width, size.height);
      GuardedImage image(ElementType::u8, size.width + 2, size.height + 1);
      for (const int dark : {0, 255}) {
        std::fill_n(templ.view().data(), size.width * size.height, std::byte{255});
        std::fill_n(image.view().data(), (size.width + 2) * (size.height + 1),
                    static_cast<std::byte>(dark));
        store(image.view().row(0), 1, std::uint8_t{9});
        compare_with_reference(templ, image, measure, ElementType::f32);
        const bool fits = measure == Measure::sad || size.width * size.height <= 66051;
        if (least_is_best(measure) && fits) {
          compare_with_reference(templ, image, measure, ElementType::u32);
        }
      }
    }
  }
}

TEST_P(FindTest, SeveralTilesAndStrips) {
  for (const Measure measure : measures) {
    compare_with_reference({21, 13}, {330, 150}, 256, measure);
    compare_with_reference({70, 40}, {200, 131}, 256, measure);
  }
}

// A GPU's matrix products use smaller tiles if there would be fewer than 132 tiles.
TEST_P(FindTest, ManyTiles) {
  for (const Measure measure : {Measure::ssd, Measure::ncc, Measure::zncc}) {
    compare_with_reference({8, 8}, {132 * 128 + 7, 40}, 256, measure);
  }
  compare_with_reference({5, 40}, {132 * 128 + 4, 45}, 256, Measure::zncc);
}

TEST(Find, FewTilesAreSmaller) {
  kernels::find::FindArguments a{};
  a.rows = 11 * 128;
  a.columns = 12 * 128;
  EXPECT_EQ(detail::find::products_groups_of(a, false), kernels::find::products_groups);
  a.columns = 11 * 128;
  EXPECT_EQ(detail::find::products_groups_of(a, false), kernels::find::products_few_groups);
  EXPECT_EQ(detail::find::products_groups_of(a, true), kernels::find::products_groups);
}

TEST_P(FindTest, HighTemplates) {
  compare_with_reference({21, 50}, {1100, 70}, 256, Measure::zncc);
  compare_with_reference({7, 101}, {150, 260}, 256, Measure::ncc);
  compare_with_reference({3, 48}, {9, 400}, 256, Measure::ssd);
}

TEST_P(FindTest, WideImages) {
  for (const Measure measure : measures) compare_with_reference({5, 3}, {1100, 40}, 256, measure);
}

// Takes more places than a GPU's scratch memory holds at a time.
TEST_P(FindTest, SeveralBands) {
  compare_with_reference({2, 1}, {4100, 4200}, 256, Measure::zncc);
  if (GetParam() != Backend::cpu) compare_transforms({2, 1}, {4100, 4200}, 256, Measure::zncc);
}

// The template is nearly the smallest whose sums exceed 32 bits, so that a GPU sums in 64 bits.
TEST_P(FindTest, ProductsBeyond32Bits) {
  GuardedImage templ(ElementType::u8, 260, 257), image(ElementType::u8, 263, 259);
  for (GuardedImage* bright : {&templ, &image}) {
    for (std::int64_t y = 0; y < bright->view().height(); ++y) {
      std::memset(bright->view().row(y), 255, static_cast<std::size_t>(bright->view().width()));
    }
  }
  store(image.view().row(258), 1, std::uint8_t{9});
  compare_with_reference(templ, image, Measure::ncc, ElementType::f32);
}

// Covers tiles of several sizes, odd numbers of tiles, and templates as large as a tile.
TEST_P(FindTest, Transforms) {
  compare_transforms({1, 1}, {300, 270}, 256, Measure::ssd);
  compare_transforms({256, 1}, {530, 20}, 256, Measure::zncc);
  compare_transforms({1, 255}, {20, 530}, 256, Measure::ncc);
  compare_transforms({63, 65}, {319, 321}, 256, Measure::zncc);
  compare_transforms({100, 60}, {101, 600}, 256, Measure::ssd);
  compare_transforms({257, 3}, {1100, 9}, 256, Measure::ncc);
  compare_transforms({37, 40}, {37, 40}, 256, Measure::zncc);
}

// Covers every length of line that the GPU transforms.
TEST_P(FindTest, TransformsOfLongLines) {
  compare_transforms({513, 3}, {600, 9}, 256, Measure::zncc);
  compare_transforms({1030, 3}, {1200, 6}, 256, Measure::ncc);
  compare_transforms({2050, 2}, {2100, 4}, 256, Measure::zncc);
  compare_transforms({3, 520}, {5, 530}, 256, Measure::ncc);
  compare_transforms({3, 1030}, {5, 1100}, 256, Measure::zncc);
}

bool rule_takes_transforms(Size templ, Size image, Measure measure) {
  // Nothing is read: the views only state sizes.
  std::uint8_t pixel = 0;
  const ConstHostView a(&pixel, templ.width, templ.height), b(&pixel, image.width, image.height);
  return detail::find::transform_tiles(a, b, measure).has_value();
}

TEST(Find, ARuleTakesTransforms) {
  EXPECT_TRUE(rule_takes_transforms({97, 90}, {301, 277}, Measure::ssd));
  EXPECT_TRUE(rule_takes_transforms({64, 131}, {201, 500}, Measure::ncc));
  EXPECT_TRUE(rule_takes_transforms({301, 97}, {523, 203}, Measure::zncc));
  EXPECT_TRUE(rule_takes_transforms({120, 115}, {260, 236}, Measure::ssd));
  EXPECT_TRUE(rule_takes_transforms({30, 1100}, {1000, 1200}, Measure::zncc));
  EXPECT_FALSE(rule_takes_transforms({97, 90}, {301, 277}, Measure::sad));
  EXPECT_FALSE(rule_takes_transforms({8, 8}, {4096, 3072}, Measure::zncc));
  EXPECT_FALSE(rule_takes_transforms({2049, 100}, {4096, 3072}, Measure::zncc));
}

// Takes sizes for which the CPU's rule chooses transforms.
TEST_P(FindTest, TransformsThatPay) {
  for (const Measure measure : measures) {
    if (measure == Measure::sad) continue;
    compare_transforms({97, 90}, {301, 277}, 256, measure);
    compare_transforms({64, 131}, {201, 500}, 2, measure);
  }
  compare_transforms({301, 97}, {523, 203}, 256, Measure::zncc);
}

// One thread's scorer takes one pair of tiles after the other; several threads share the pairs.
TEST(Find, SeveralPairsOfTilesInATask) {
  GuardedImage templ(ElementType::u8, 60, 60), image(ElementType::u8, 2000, 150);
  fill(templ, 256, 3);
  fill(image, 256, 4);
  const auto tiles = detail::find::transform_tiles(templ.view(), image.view(), Measure::zncc);
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->pairs, 10);
  GuardedImage expected(ElementType::f32, 1941, 91), map(ElementType::f32, 1941, 91);
  const Finding best = reference::find(templ.view(), image.view(), expected.view(), Measure::zncc);
  for (const int threads : {1, 2, 3}) {
    cpu::limit_threads(threads);
    EXPECT_EQ(find(templ.view(), image.view(), map.view(), Measure::zncc), best);
    test::expect_equal(expected.view(), map.view());
  }
  cpu::limit_threads(0);
}

// Covers patterns whose transforms have the greatest numbers, and patterns least like noise.
TEST_P(FindTest, TransformsOfExtremes) {
  const auto draw = [](GuardedImage& image, auto pixel) {
    for (std::int64_t y = 0; y < image.view().height(); ++y) {
      for (std::int64_t x = 0; x < image.view().width(); ++x) {
        store(image.view().row(y), x, static_cast<std::uint8_t>(pixel(x, y) ? 255 : 0));
      }
    }
  };
  using Pixel = bool (*)(std::int64_t, std::int64_t);
  const Pixel patterns[] = {[](auto, auto) { return true; },
                            [](auto x, auto y) { return (x + y) % 2 == 0; },
                            [](auto x, auto) { return x % 2 == 0; },
                            [](auto x, auto y) { return x * x + y * y < 90 * 90; }};
  for (const auto& [templ_size, image_size] :
       {std::pair{Size{120, 115}, Size{260, 236}}, {Size{258, 257}, Size{272, 266}}}) {
    for (std::size_t i = 0; i < std::size(patterns); ++i) {
      GuardedImage templ(ElementType::u8, templ_size.width, templ_size.height);
      GuardedImage image(ElementType::u8, image_size.width, image_size.height);
      draw(templ, patterns[i]);
      draw(image, patterns[i]);
      store(image.view().row(200), 9, std::uint8_t{7});
      always_transforms_ = true;
      const Measure measure = measures[1 + i % 3];
      compare_with_reference(templ, image, measure, ElementType::f32);
      compare_with_reference(templ, image, Measure::zncc, ElementType::f32);
    }
  }
}

TEST_P(FindTest, RandomProblemsByTransforms) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
  for (int i = 0; i < 12; ++i) {
    const Size image{1 + below(700), 1 + below(300)};
    const Size templ{1 + below(std::min<std::int64_t>(image.width, 70)),
                     1 + below(std::min<std::int64_t>(image.height, 50))};
    compare_transforms(templ, image, static_cast<int>(2 + below(255)), measures[1 + below(3)]);
  }
}

TEST_P(FindTest, RandomProblems) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
  for (int i = 0; i < 80; ++i) {
    const Size image{1 + below(150), 1 + below(60)};
    const Size templ{1 + below(image.width), 1 + below(std::min<std::int64_t>(image.height, 12))};
    compare_with_reference(templ, image, static_cast<int>(2 + below(255)), measures[below(4)]);
  }
}

TEST_P(FindTest, FindsAPartOfTheImage) {
  GuardedImage image(ElementType::u8, 233, 171);
  fill(image, 256, 3);
  GuardedImage templ(ElementType::u8, 19, 23);
  for (const Size& at : {Size{0, 0}, Size{214, 148}, Size{101, 77}, Size{214, 0}, Size{0, 148}}) {
    for (std::int64_t y = 0; y < 23; ++y) {
      std::copy_n(image.view().row(at.height + y) + at.width, 19, templ.view().row(y));
    }
    for (const Measure measure : measures) {
      const Finding found = find_with(templ, image, nullptr, measure);
      EXPECT_EQ(found.x, at.width);
      EXPECT_EQ(found.y, at.height);
      EXPECT_NEAR(found.score, least_is_best(measure) ? 0 : 1, 1e-12);
    }
  }
}

TEST(Find, RefusesWhatHasNoMeaning) {
  GuardedImage templ(ElementType::u8, 3, 2), image(ElementType::u8, 8, 4);
  GuardedImage colour(ElementType::u8, 3, 2, 3), wide(ElementType::u16, 8, 4);
  GuardedImage map(ElementType::f32, 6, 3), wrong(ElementType::f32, 8, 4),
      sums(ElementType::u32, 6, 3);
  const auto call = [](GuardedImage& t, GuardedImage& i, GuardedImage& m, Measure how) {
    find(t.view(), i.view(), m.view(), how);
  };
  for (const Measure measure : measures) {
    EXPECT_NO_THROW(call(templ, image, map, measure));
    EXPECT_THROW(call(image, templ, map, measure), InvalidArgument);
    EXPECT_THROW(find(image.view(), templ.view(), measure), InvalidArgument);
    EXPECT_THROW(call(colour, image, map, measure), InvalidArgument);
    EXPECT_THROW(call(templ, wide, map, measure), InvalidArgument);
    EXPECT_THROW(call(templ, image, wrong, measure), InvalidArgument);
    if (least_is_best(measure))
      EXPECT_NO_THROW(call(templ, image, sums, measure));
    else
      EXPECT_THROW(call(templ, image, sums, measure), InvalidArgument);
  }
  EXPECT_THROW(find(templ.view(), image.view(), static_cast<Measure>(9)), InvalidArgument);
  const ConstHostView inside(map.view().data(), ElementType::u8, 8, 4);
  EXPECT_THROW(find(templ.view(), inside, map.view(), Measure::sad), InvalidArgument);
  EXPECT_NO_THROW(find(image.view().sub_view(1, 1, 3, 2), image.view(), map.view(), Measure::sad));
}

TEST(Find, RefusesSumsThatAMapCannotHold) {
  // Nothing is read: the views only state sizes.
  std::uint8_t pixel = 0;
  std::uint32_t sum = 0;
  const auto call = [&](std::int64_t pixels, Measure measure) {
    const ConstHostView view(&pixel, pixels, 1);
    find(view, view, HostView(&sum, 1, 1), measure);
  };
  EXPECT_THROW(call(66052, Measure::ssd), InvalidArgument);
  EXPECT_THROW(call(16843010, Measure::sad), InvalidArgument);
  EXPECT_THROW(call(max_find_area + 1, Measure::sad), InvalidArgument);
}

TEST(Find, RefusesAnotherViewOfTheBestPlace) {
  std::uint8_t bytes[256] = {};
  const DeviceView templ(bytes, 2, 1), image(bytes, 4, 1);
  const auto call = [&](DeviceView best) { find(templ, image, best, Measure::sad, nullptr); };
  EXPECT_THROW(call(DeviceView(bytes + 100, std::int64_t{sizeof(Finding)} - 1, 1)),
               InvalidArgument);
  EXPECT_THROW(call(DeviceView(bytes + 100, sizeof(Finding), 2)), InvalidArgument);
  EXPECT_THROW(call(DeviceView(bytes, sizeof(Finding), 1)), InvalidArgument);
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THROW(call(DeviceView(bytes + 100, sizeof(Finding), 1)), NoCudaDevice);
}

INSTANTIATE_TEST_SUITE_P(, FindTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
