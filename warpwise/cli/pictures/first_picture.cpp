// scripts/demo.sh builds and runs this program first. It writes edges to a PNG file, which equals
// the file of `warpwise sobel IN.png OUT.png` byte for byte. The program is compiled from the few
// sources that it needs, for the CPU alone.
//
//   first_picture IN.png OUT.png

#include <climits>
#include <cstdio>
#include <exception>

#include "warpwise/base/error.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/image_module.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"

// png_file.cpp is linked into this program. The command loads it as a module.
extern "C" const warpwise::io::ImageModule* warpwise_image_module_4();

namespace {

using namespace warpwise;

void write_edges(const char* in, const char* out) {
  const io::ImageModule& png = *warpwise_image_module_4();
  io::InputFile input(in);
  std::vector<std::byte> content;
  if (!input.read_rest(content, INT_MAX)) throw IoError(input.name() + " is over 2 GiB");
  const io::Picture picture = io::upright(png.decode(content, input.name()));
  const io::PictureShape& shape = picture.shape();

  const SobelOptions options;
  io::Picture edges(io::PictureShape::interleaved(shape.type, 1, shape.width, shape.height));
  const io::PixelsOf<Memory::host, Access::read> src{shape, picture.bytes().data()};
  const io::PixelsOf<Memory::host, Access::read_write> dst{edges.shape(), edges.bytes().data()};
  sobel(src.view(), dst.view(), options);

  io::OutputFile output(out);
  output.write(png.encode(edges, ".png", output.name()));
  output.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("first_picture IN.png OUT.png\n", stderr);
    return 2;
  }
  try {
    write_edges(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "first_picture: %s\n", error.what());
    return 1;
  }
}
