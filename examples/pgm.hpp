// Reads and writes binary PGM files, for the examples with pictures.
#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpwise/warpwise.hpp>

struct GreyImage {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<std::uint8_t> pixels;

  warpwise::HostView view() { return {pixels.data(), width, height}; }
};

// Reads a PGM file. Comments in the header, which the format allows, are not supported.
inline GreyImage read_pgm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int maximum = 0;
  GreyImage image;
  file >> magic >> image.width >> image.height >> maximum;
  if (!file || magic != "P5" || maximum != 255 || image.width < 1 || image.height < 1 ||
      image.width > 65535 || image.height > 65535) {
    throw std::runtime_error(path + " is no PGM file (P5) of 8 bits");
  }
  file.get();  // one whitespace character ends the header
  image.pixels.resize(static_cast<std::size_t>(image.width * image.height));
  if (!file.read(reinterpret_cast<char*>(image.pixels.data()),
                 static_cast<std::streamsize>(image.pixels.size()))) {
    throw std::runtime_error(path + " ends before its last pixel");
  }
  return image;
}

// Writes a PGM file for one byte a pixel, or a PPM file for three.
inline void write_pnm(const std::string& path, std::int64_t width, std::int64_t height,
                      const std::vector<std::uint8_t>& bytes) {
  const bool grey = bytes.size() == static_cast<std::size_t>(width * height);
  std::ofstream file(path, std::ios::binary);
  file << (grey ? "P5\n" : "P6\n") << width << ' ' << height << "\n255\n";
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}
