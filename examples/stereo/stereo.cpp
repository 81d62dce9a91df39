// Shows the depth of a rectified stereo pair as colours: near is red, far is blue. A pixel that
// only one camera sees is black.
//
//   stereo LEFT.pgm RIGHT.pgm OUT.ppm [GREATEST_DISPARITY]

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>

#include "../pgm.hpp"

// Returns a colour for a nearness from 0 (blue) over 1/2 (green) to 1 (red).
static std::array<std::uint8_t, 3> colour(float nearness) {
  const auto level = [](float value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0.0F, 1.0F) * 255.0F + 0.5F);
  };
  return {level(2 * nearness - 1), level(1 - std::abs(2 * nearness - 1)), level(1 - 2 * nearness)};
}

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) {
    std::fputs("stereo LEFT.pgm RIGHT.pgm OUT.ppm [GREATEST_DISPARITY]\n", stderr);
    return 2;
  }
  try {
    warpwise::DisparityOptions options;
    options.max_disparity = argc > 4 ? std::stoi(argv[4]) : 64;
    options.subpixel = true;
    GreyImage left = read_pgm(argv[1]);
    GreyImage right = read_pgm(argv[2]);
    std::vector<float> disparities(left.pixels.size());
    warpwise::disparity(left.view(), right.view(),
                        warpwise::HostView(disparities.data(), left.width, left.height), options);

    std::vector<std::uint8_t> rgb;
    rgb.reserve(3 * disparities.size());
    const float greatest = static_cast<float>(std::max(options.max_disparity, 1));
    for (const float d : disparities) {
      const auto pixel = d < 0 ? std::array<std::uint8_t, 3>{} : colour(d / greatest);
      rgb.insert(rgb.end(), pixel.begin(), pixel.end());
    }
    write_pnm(argv[3], left.width, left.height, rgb);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stereo: %s\n", error.what());
    return 1;
  }
}
