#include "warpwise/lab/explain/launch/arguments.hpp"

#include <algorithm>
#include <cstring>

#include "warpwise/base/error.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/npy.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"

namespace warpwise::lab {
namespace {

using Kind = ArgumentSpec::Kind;
using Fill = ArgumentSpec::Fill;

char npy_kind(ScalarType type) { return is_float(type) ? 'f' : is_signed(type) ? 'i' : 'u'; }

std::string quoted(const ArgumentSpec& spec) { return "'" + spec.text + "'"; }

bool holds_pointer(const ArgumentSpec& spec) {
  return spec.kind == Kind::pointer ||
         std::any_of(spec.members.begin(), spec.members.end(), holds_pointer);
}

// SplitMix64: the same numbers in every run and on every machine.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Returns the bits of a float from 0 up to 1, or of an integer from its whole range.
std::uint64_t random_bits(ScalarType type, std::uint64_t& state) {
  const std::uint64_t number = next_random(state);
  // An f16 represents 11 bits exactly, so that no value is rounded up to 1.
  if (type == ScalarType::f16) return bits_of(type, static_cast<double>(number >> 53) * 0x1p-11);
  if (is_float(type)) return bits_of(type, static_cast<double>(number >> 40) * 0x1p-24);
  return bits_of(type, number);
}

// Returns the bits of a value in a range.
std::uint64_t random_bits(ScalarType type, const ValueRange& range, std::uint64_t& state) {
  const std::uint64_t number = next_random(state);
  const double width = range.most - range.least;
  if (is_float(type)) {
    const double value = range.least + static_cast<double>(number >> 40) * 0x1p-24 * width;
    const std::uint64_t bits = bits_of(type, value);
    // Rounding may reach the upper end, which is no value of the range.
    return bits == bits_of(type, range.most) ? bits_of(type, range.least) : bits;
  }
  const auto values = static_cast<std::uint64_t>(width) + 1;
  return bits_of(type, range.least + static_cast<double>(number % values));
}

void fill_with_numbers(const ArgumentSpec& spec, std::uint64_t seed, std::byte* to) {
  constexpr std::uint64_t most = std::uint64_t{1} << 28;  // filling more takes too long
  if (spec.width > most / spec.height) {
    throw InvalidArgument(quoted(spec) + ": at most " + std::to_string(most) +
                          " elements can be filled with numbers; more can be zeros");
  }
  const auto size = static_cast<std::size_t>(size_of(spec.type));
  std::uint64_t state = seed;
  for (std::uint64_t i = 0; i < spec.width * spec.height; ++i) {
    const std::uint64_t bits = spec.fill == Fill::iota ? bits_of(spec.type, i)
                               : spec.range            ? random_bits(spec.type, *spec.range, state)
                                                       : random_bits(spec.type, state);
    std::memcpy(to + i * size, &bits, size);  // the host stores the low bytes first
  }
}

void fill_from_npy(const ArgumentSpec& spec, std::byte* to) {
  io::InputFile file(spec.path);
  const io::NpyElements array = io::decode_npy_elements(io::read_npy(file), spec.path);
  const auto size = static_cast<std::size_t>(size_of(spec.type));
  if (array.kind != npy_kind(spec.type) || array.element_bytes != size_of(spec.type) ||
      array.elements.size() / size != spec.width * spec.height) {
    throw InvalidArgument(
        quoted(spec) + ": " + spec.path + " has " +
        std::to_string(array.elements.size() / static_cast<std::size_t>(array.element_bytes)) +
        " elements of " + array.kind + std::to_string(8 * array.element_bytes));
  }
  std::memcpy(to, array.elements.data(), array.elements.size());
}

// Reads a file that has only the bytes of the argument's elements, without a header.
void fill_from_raw(const ArgumentSpec& spec, std::byte* to) {
  io::InputFile file(spec.path);
  std::byte one{};
  if (file.read({to, spec.bytes()}) < spec.bytes() || file.read({&one, 1}) > 0) {
    throw InvalidArgument(quoted(spec) + ": " + spec.path + " does not have the " +
                          std::to_string(spec.bytes()) + " bytes that it needs");
  }
}

void fill_from_picture(const ArgumentSpec& spec, const ReadTexture& read, std::byte* to) {
  const io::Picture picture = read(spec.path);
  const io::PictureShape& shape = picture.shape();
  if (shape.pixel_text() != "gray8" || spec.type != ScalarType::u8) {
    const bool same_type = shape.channels == 1 && name_of(shape.type) == name_of(spec.type);
    if (!same_type) {
      throw InvalidArgument(quoted(spec) + ": " + spec.path + " has pixels of " +
                            shape.pixel_text());
    }
  }
  if (static_cast<std::uint64_t>(shape.width) != spec.width ||
      static_cast<std::uint64_t>(shape.height) != spec.height) {
    throw InvalidArgument(quoted(spec) + ": " + spec.path + " has " + std::to_string(shape.width) +
                          "x" + std::to_string(shape.height) + " pixels");
  }
  std::memcpy(to, picture.bytes().data(), picture.bytes().size());
}

std::string argument_name_of(const ArgumentSpec& spec, std::size_t index) {
  return "argument " + std::to_string(index) + ", " + spec.text;
}

emulator::Address allocate(emulator::Device& device, const ArgumentSpec& spec, std::size_t index,
                           std::uint64_t seed, const ReadTexture& read_texture) {
  const emulator::Address address = device.allocate(spec.bytes(), argument_name_of(spec, index));
  std::byte* to = device.host_pointer(address, spec.bytes());
  if (spec.fill == Fill::iota || spec.fill == Fill::random) {
    fill_with_numbers(spec, seed, to);
  } else if (spec.fill == Fill::file && spec.path.ends_with(".npy")) {
    fill_from_npy(spec, to);
  } else if (spec.fill == Fill::file && spec.path.ends_with(".raw")) {
    fill_from_raw(spec, to);
  } else if (spec.fill == Fill::file && spec.kind == Kind::texture) {
    fill_from_picture(spec, read_texture, to);
  } else if (spec.fill == Fill::file) {
    throw InvalidArgument(quoted(spec) + ": a buffer is filled from an .npy or .raw file");
  }
  return address;
}

emulator::Texture texture_of(const ArgumentSpec& spec, emulator::Address address) {
  emulator::Texture texture;
  texture.data = address;
  texture.width = spec.width;
  texture.height = spec.height;
  texture.channel_bytes = size_of(spec.type);
  texture.pitch_bytes = spec.width * static_cast<std::uint64_t>(texture.channel_bytes);
  texture.kind = is_float(spec.type)    ? emulator::TexelKind::floating
                 : is_signed(spec.type) ? emulator::TexelKind::signed_integer
                                        : emulator::TexelKind::unsigned_integer;
  return texture;
}

std::string parameter_text(const emulator::KernelInfo& kernel, std::size_t i) {
  const std::string& type = kernel.parameter_types[i];
  if (type == "u64" || type == "b64" || type == "s64") {
    return "a pointer, a texture or a 64-bit integer";
  }
  if (type == "b8") return "a structure of " + std::to_string(kernel.parameter_bytes[i]) + " bytes";
  return (type[0] == 'f' ? "a float of " : "an integer of ") + type.substr(1) + " bits";
}

// Refuses an argument that does not fit parameter i. A scalar or a structure must have the size of
// the parameter, and a scalar must be a float if the parameter is a float.
void require_fitting(const emulator::KernelInfo& kernel, std::size_t i, const ArgumentSpec& spec) {
  const std::string& type = kernel.parameter_types[i];
  const std::uint64_t bytes = extent_of(spec).bytes;
  bool fits = kernel.parameter_bytes[i] == bytes;
  if (spec.kind == Kind::structure && type == "b8") {
    if (fits) return;
    throw InvalidArgument(
        "argument " + std::to_string(i) + " of the kernel (counted from 0) is " +
        parameter_text(kernel, i) + ", not of " + std::to_string(bytes) + ", as " + quoted(spec) +
        " is (f32[N] in it is a pointer; write an array as its elements; if a member is aligned to "
        "more than its size, as float4 is, add members for the gaps)");
  }
  const bool is_address = spec.kind != Kind::scalar;
  fits = fits && spec.kind != Kind::structure;
  if (type.front() == 'f') fits = fits && !is_address && is_float(spec.type);
  if (type.front() == 'u' || type.front() == 's')
    fits = fits && (is_address || !is_float(spec.type));
  if (fits) return;
  throw InvalidArgument("argument " + std::to_string(i) + " of the kernel (counted from 0) is " +
                        parameter_text(kernel, i) + ", not " + quoted(spec));
}

// Refuses a buffer whose elements differ in size or kind from those that the parameter points to,
// such as f64 for float*. A buffer of bytes fits any pointer, and a pointer to bytes any buffer.
void require_element(const std::string& type, std::size_t i, const ArgumentSpec& spec) {
  if (spec.kind != Kind::buffer || !type.ends_with('*')) return;
  std::string pointed_to = type.substr(0, type.size() - 1);
  for (const char* end : {"const", "volatile", " "})
    while (pointed_to.ends_with(end)) pointed_to.resize(pointed_to.size() - std::strlen(end));
  std::erase(pointed_to, ' ');
  const auto element = element_of(pointed_to);
  if (!element || size_of(element->type) == 1 || size_of(spec.type) == 1) return;
  if (size_of(element->type) == size_of(spec.type) &&
      is_float(element->type) == is_float(spec.type))
    return;
  const std::string wanted(name_of(element->type));
  throw InvalidArgument("argument " + std::to_string(i) + " of the kernel (counted from 0) is " +
                        type + ", and " + quoted(spec) + " has elements of another type: write " +
                        wanted + spec.text.substr(std::string(name_of(spec.type)).size()));
}

void require_count(const emulator::KernelInfo& kernel, const std::vector<ArgumentSpec>& specs) {
  const std::size_t wanted = kernel.parameter_bytes.size();
  if (specs.size() == wanted) return;
  const std::vector<std::string> types = parameter_types(kernel.name);
  if (types.size() == wanted) {
    std::string all;
    for (const std::string& type : types) all += (all.empty() ? "" : ", ") + type;
    throw InvalidArgument(plain_name(kernel.name) + "(" + all + ") needs " +
                          std::to_string(wanted) + " arguments and got " +
                          std::to_string(specs.size()) +
                          ": each is an --arg such as 'f32[1024]' or i32:5");
  }
  std::string list;
  for (std::size_t i = 0; i < wanted; ++i) {
    list += (i == 0 ? ": " : "; ") + std::to_string(i) + " is " + parameter_text(kernel, i);
  }
  throw InvalidArgument("the kernel has " + std::to_string(wanted) + " parameters and got " +
                        std::to_string(specs.size()) + " (--arg)" + list);
}

}  // namespace

void require_elements(const std::vector<std::string>& types,
                      const std::vector<ArgumentSpec>& specs) {
  for (std::size_t i = 0; i < std::min(types.size(), specs.size()); ++i)
    require_element(types[i], i, specs[i]);
}

Arguments::Arguments(emulator::Device& device, const emulator::KernelInfo& kernel,
                     std::vector<ArgumentSpec> specs, const ReadTexture& read_texture,
                     std::uint64_t seed)
    : device_(device), seed_(seed), offsets_(kernel.parameter_offsets), specs_(std::move(specs)) {
  require_count(kernel, specs_);
  for (std::size_t i = 0; i < specs_.size(); ++i) require_fitting(kernel, i, specs_[i]);
  require_elements(parameter_types(kernel.name), specs_);
  if (!specs_.empty()) {
    parameters_.resize(kernel.parameter_offsets.back() + kernel.parameter_bytes.back());
  }
  for (std::size_t i = 0; i < specs_.size(); ++i)
    put(specs_[i], i, parameters_.data() + offsets_[i], offsets_[i], read_texture);
}

void Arguments::put(const ArgumentSpec& spec, std::size_t index, std::byte* to,
                    std::optional<std::uint64_t> parameter_offset,
                    const ReadTexture& read_texture) {
  const std::uint64_t bytes = extent_of(spec).bytes;
  std::uint64_t value = spec.bits;
  switch (spec.kind) {
    case Kind::scalar:
      if (!parameter_offset) writable_.push_back({index, spec.type, {to, bytes}});
      break;
    case Kind::structure: {
      const std::vector<std::uint64_t> offsets = offsets_of(spec);
      for (std::size_t k = 0; k < offsets.size(); ++k) {
        std::optional<std::uint64_t> place;
        if (parameter_offset) place = *parameter_offset + offsets[k];
        put(spec.members[k], index, to + offsets[k], place, read_texture);
      }
      return;
    }
    case Kind::pointer: {
      const std::uint64_t pointed_to = extent_of(spec.members[0]).bytes;
      value = device_.allocate(pointed_to, argument_name_of(spec, index));
      put(spec.members[0], index, device_.host_pointer(value, pointed_to), std::nullopt,
          read_texture);
      break;
    }
    case Kind::buffer:
    case Kind::texture:
      value = allocate(device_, spec, index, seed_of_next(index), read_texture);
      held_.push_back({&spec, index, value, parameter_offset});
      if (spec.kind == Kind::buffer) {
        const std::byte* const elements = device_.host_pointer(value, spec.bytes());
        writable_.push_back({index, spec.type, {elements, spec.bytes()}});
      }
      if (spec.kind == Kind::texture) value = device_.create_texture(texture_of(spec, value));
      break;
  }
  std::memcpy(to, &value, bytes);
}

// The seed of an argument's first buffer depends on the argument's index alone. The buffer
// therefore keeps its values if other arguments change.
std::uint64_t Arguments::seed_of_next(std::size_t index) const {
  const auto before = static_cast<std::uint64_t>(std::count_if(
      held_.begin(), held_.end(), [&](const Held& each) { return each.index == index; }));
  return seed_ + index + (before << 32);
}

std::vector<Arguments::Memory> Arguments::memory() const {
  for (const ArgumentSpec& spec : specs_) {
    if (holds_pointer(spec))
      throw Unsupported(quoted(spec) + ": memory behind '&' is not copied to a GPU");
  }
  std::vector<Memory> result;
  for (const Held& each : held_) {
    const ArgumentSpec& spec = *each.spec;
    const std::byte* bytes = device_.host_pointer(each.address, spec.bytes());
    Memory& memory = result.emplace_back();
    memory.parameter_offset = *each.parameter_offset;
    memory.name = argument_name_of(spec, each.index);
    memory.bytes.assign(bytes, bytes + spec.bytes());
    if (spec.kind == Kind::texture) memory.texture = texture_of(spec, 0);
  }
  return result;
}

MemoryBytes Arguments::bytes() const {
  MemoryBytes result;
  for (const Held& each : held_) {
    result.all += each.spec->bytes();
    if (each.spec->kind == Kind::texture) result.textures += each.spec->bytes();
  }
  return result;
}

std::vector<std::byte> Arguments::bytes_of(std::size_t index) const {
  const ArgumentSpec& spec = specs_[index];
  if (spec.kind != Kind::buffer) return {};
  const auto own = std::find_if(held_.begin(), held_.end(),
                                [&](const Held& each) { return each.spec == &spec; });
  const std::byte* const bytes = device_.host_pointer(own->address, spec.bytes());
  return {bytes, bytes + spec.bytes()};
}

std::vector<Arguments::Writable> Arguments::writable() const {
  std::vector<Writable> result;
  for (const Place& each : writable_)
    result.push_back({each.index, each.type, {each.bytes.begin(), each.bytes.end()}});
  return result;
}

void Arguments::require_dumpable(const DumpSpec& what) const {
  if (what.index < specs_.size() && specs_[what.index].kind == Kind::buffer) return;
  const char* const within = what.index < specs_.size() && !specs_[what.index].members.empty()
                                 ? ", and --dump writes no buffer within a structure"
                                 : "";
  throw InvalidArgument(
      "--dump " + std::to_string(what.index) + "=" + what.path + ": " +
      (what.index < specs_.size()
           ? "argument " + std::to_string(what.index) + " is no buffer" + within
           : "there are " + std::to_string(specs_.size()) + " arguments, counted from 0"));
}

void Arguments::dump(const DumpSpec& what) const {
  require_dumpable(what);
  const ArgumentSpec& spec = specs_[what.index];
  const auto own = std::find_if(held_.begin(), held_.end(),
                                [&](const Held& each) { return each.spec == &spec; });
  const std::vector<std::byte> header = io::npy_vector_header(
      npy_kind(spec.type), size_of(spec.type), static_cast<std::int64_t>(spec.width));
  io::OutputFile file(what.path);
  file.write(header);
  file.write({device_.host_pointer(own->address, spec.bytes()), spec.bytes()});
  file.finish();
}

}  // namespace warpwise::lab
