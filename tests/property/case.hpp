#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "warpwise/warpwise.hpp"

// Makes random choices for the cases of the property test, and runs a case.
namespace warpwise::test {

constexpr ElementType all_types[] = {ElementType::u8,  ElementType::u16, ElementType::i16,
                                     ElementType::u32, ElementType::i32, ElementType::f32,
                                     ElementType::f16, ElementType::bf16};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  /// Returns a number from least to greatest.
  template <class Integer = int>
  Integer in(std::type_identity_t<Integer> least, std::type_identity_t<Integer> greatest) {
    return std::uniform_int_distribution<Integer>(least, greatest)(engine_);
  }
  float real(float least, float greatest) {
    return std::uniform_real_distribution<float>(least, greatest)(engine_);
  }
  bool once_in(int n) { return in(1, n) == 1; }
  template <class Values>
  auto of(const Values& values) {
    return values[in<std::size_t>(0, std::size(values) - 1)];
  }
  /// Returns an extent, mostly a tiny one, sometimes one larger than a vector, a tile or a warp.
  std::int64_t extent(std::int64_t greatest = 300) {
    return in<std::int64_t>(1, once_in(20) ? greatest : once_in(3) ? 40 : 9);
  }
  Layout layout() {
    if (once_in(3)) return {};
    return {in<std::int64_t>(0, 70), once_in(2) ? 0 : in<std::int64_t>(1, 40)};
  }

 private:
  std::mt19937_64 engine_;
};

/// The type and size of an image to be made. In an invalid case they may not fit the call.
struct Shape {
  ElementType type;
  std::int64_t width;
  std::int64_t height;
  int channels = 1;
};

/// Returns a value that no enumerator of the enum has.
template <class Enum>
Enum no_such(Enum) {
  return static_cast<Enum>(77);
}

/// Makes a shape wrong in one respect.
inline void spoil(Shape& shape, Random& random) {
  switch (random.in(0, 3)) {
    case 0: ++shape.width; break;
    case 1: ++shape.height; break;
    case 2: ++shape.channels; break;
    default: {
      const ElementType before = shape.type;
      while (shape.type == before) shape.type = random.of(all_types);
      // Another type alone may be valid, because some primitives take two types. Another width
      // never is.
      ++shape.width;
    }
  }
}

/// A case: the arguments of one call, and its outcome.
class Case {
 public:
  Case(Backend backend, std::uint64_t seed) : random(seed), backend_(backend) {
    valid = random.once_in(2);
  }

  Random random;
  bool valid;

  /// Adds an image of random pixels in a random layout, and returns its index.
  std::size_t image(const Shape& shape) {
    images_.emplace_back(shape.type, shape.width, shape.height, shape.channels, random.layout());
    images_.back().fill_random(random.bits());
    return images_.size() - 1;
  }
  GuardedImage& operator[](std::size_t i) { return images_[i]; }

  /// Lets view `output` begin where view `input` does. They then overlap, which spoils the case.
  void overlap(std::size_t output, std::size_t input) {
    overlapping_ = output;
    overlapped_ = input;
  }

  /// Runs `call` on the backend with views of all images, and on CUDA with a stream. Compares the
  /// images with those that `reference` writes to copies of them.
  template <class Call, class Reference>
  void check(const Call& call, const Reference& reference) {
    std::vector<GuardedImage> expected = images_;
    if (valid) reference(views_of<HostView>(expected));
    run(call);
    for (std::size_t i = 0; i < images_.size(); ++i) {
      if (images_[i].memory() == expected[i].memory()) continue;
      expect_equal(expected[i].view(), images_[i].view());
      images_[i].expect_guards_intact();
      ADD_FAILURE() << "image " << i
                    << (valid ? " is not as after the reference"
                              : " was written to by a call that was refused");
    }
  }

  /// Runs the call. Fails the test unless the call of a valid case succeeds, and that of an invalid
  /// case throws InvalidArgument.
  template <class Call>
  void run(const Call& call) {
    try {
      if (backend_ == Backend::cpu) {
        call(views_of<HostView>(images_));
      } else {
        on_device(call);
      }
      EXPECT_TRUE(valid) << "a wrong argument was not refused";
    } catch (const InvalidArgument& refusal) {
      EXPECT_FALSE(valid) << "refused: " << refusal.what();
    } catch (const std::exception& other) {
      ADD_FAILURE() << "another exception: " << other.what();
    }
  }

  Backend backend() const { return backend_; }

 private:
  template <class View, class Images>
  std::vector<View> views_of(Images& images) const {
    std::vector<View> views;
    for (auto& image : images) views.push_back(image.view());
    if (overlapping_ != overlapped_) {
      const View& output = views[overlapping_];
      views[overlapping_] = {views[overlapped_].data(), output.type(),     output.width(),
                             output.height(),           output.channels(), output.pitch_bytes()};
    }
    return views;
  }

  template <class Call>
  void on_device(const Call& call) {
    const gpu::Stream stream;
    std::vector<OnDevice> copies;
    for (GuardedImage& image : images_) copies.emplace_back(image, stream);
    const auto download = [&] {
      for (OnDevice& copy : copies) copy.download(stream);
    };
    try {
      call(views_of<DeviceView>(copies), gpu::StreamHandle(stream));
    } catch (...) {
      download();
      throw;
    }
    download();
  }

  Backend backend_;
  std::vector<GuardedImage> images_;
  std::size_t overlapping_ = 0;
  std::size_t overlapped_ = 0;
};

// --- The primitives ------------------------------------------------------------------------------

}  // namespace warpwise::test
