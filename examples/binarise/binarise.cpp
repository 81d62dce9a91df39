// Makes a photographed page black on white in uneven light: compares each pixel with the mean of
// the window around it.
//
//   binarise PAGE.pgm OUT.pgm [WINDOW [OFFSET]]

#include <cstdio>
#include <exception>
#include <string>

#include "../pgm.hpp"

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fputs("binarise PAGE.pgm OUT.pgm [WINDOW [OFFSET]]\n", stderr);
    return 2;
  }
  try {
    warpwise::ThresholdOptions options;
    // The window must be wider than a stroke of the pen and smaller than a shadow.
    options.window = argc > 3 ? std::stoll(argv[3]) : 31;
    options.offset = argc > 4 ? std::stod(argv[4]) : 10;
    GreyImage page = read_pgm(argv[1]);
    GreyImage result = page;
    warpwise::threshold(page.view(), result.view(), options);
    write_pnm(argv[2], result.width, result.height, result.pixels);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "binarise: %s\n", error.what());
    return 1;
  }
}
