#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

/// The ladder of a primitive is a sequence of kernels, called rungs, each with one optimisation
/// more. Class Ladder gives the laboratory a problem, its inputs, the expected result, and the
/// library's own launches for it. The rungs are CUDA files in the primitive's `ladder` folder,
/// compiled at run time and described by `ladder.json`. See warpwise/lab/README.md.
namespace warpwise::ladders {

/// Integers by name: a problem's size and parameters, and a rung's constants. Expressions in
/// ladder.json use these names.
using Variables = std::map<std::string, std::int64_t, std::less<>>;

/// Layout of an operand in memory: offset of its first pixel, and padding behind each row.
struct Layout {
  std::int64_t offset_pixels = 0;
  std::int64_t padding_pixels = 0;
};

/// A two-dimensional array of a problem with its host memory.
class Operand {
 public:
  /// Value of the bytes between the rows of an output, which no kernel may change. All bytes of an
  /// output have this value before a kernel runs.
  static constexpr std::byte sentinel{0xa5};

  /// input() makes an operand of random pixels, which depend on its name, type and size. output()
  /// makes one filled with the sentinel. \throws InvalidArgument  as BasicView's constructor
  /// \throws OutOfMemory  it would take more than an eighth of this machine's memory
  static Operand input(std::string name, ElementType type, std::int64_t width, std::int64_t height,
                       int channels = 1, Layout layout = {});
  static Operand output(std::string name, ElementType type, std::int64_t width, std::int64_t height,
                        int channels = 1, Layout layout = {});

  const std::string& name() const { return name_; }
  bool is_output() const { return is_output_; }
  /// Returns the whole allocation: the first pixel is offset_bytes() behind its start.
  std::span<std::byte> memory() { return memory_; }
  std::span<const std::byte> memory() const { return memory_; }
  std::int64_t offset_bytes() const { return offset_bytes_; }
  std::int64_t pitch_bytes() const { return pitch_bytes_; }
  HostView view();
  ConstHostView view() const;

  /// Largest allowed difference from the expected value, one number for each element of an output,
  /// row by row. Empty if results must have the expected bits.
  std::vector<float> tolerance;

 private:
  Operand(std::string name, bool is_output, ElementType type, std::int64_t width,
          std::int64_t height, int channels, Layout layout);

  std::string name_;
  bool is_output_;
  ElementType type_;
  std::int64_t width_;
  std::int64_t height_;
  int channels_;
  std::int64_t offset_bytes_;
  std::int64_t pitch_bytes_;
  std::vector<std::byte> memory_;
};

/// Bottleneck of a problem on an ideal machine: the roof that times are compared with.
enum class Roof : std::uint8_t {
  copy,    ///< bytes, at the rate of a device-to-device copy
  read,    ///< bytes, at the rate of a kernel that only reads; for problems that hardly write
  vsadu4,  ///< absolute differences of bytes, at the rate of __vsadu4
};
constexpr auto enum_names(Roof) {
  return std::to_array<EnumName<Roof>>(
      {{Roof::copy, "copy"}, {Roof::read, "read"}, {Roof::vsadu4, "vsadu4"}});
}

struct Problem {
  Variables variables;            ///< width, height and the parameters, for ladder.json
  std::vector<Operand> operands;  ///< the outputs hold the sentinel
  std::int64_t bytes = 0;         ///< bytes if each input is read once and each output written once
  std::int64_t pixels = 0;        ///< the problem's size; memory references are counted per pixel
  std::int64_t operations = 0;    ///< absolute differences, if the roof is vsadu4
  Roof roof = Roof::copy;

  const Operand& operand(std::string_view name) const;
};

/// Addresses of a problem's operands on a device, real or emulated, in the order of
/// Problem::operands.
struct Placement {
  std::vector<std::uint64_t> address;  ///< address of each operand's first pixel
  std::vector<std::uint64_t> texture;  ///< texture object of each operand, 0 if the rung needs none
  std::uint64_t scratch = 0;           ///< address of the rung's scratch memory, 0 if it needs none
  std::int64_t max_shared_bytes = 0;   ///< limit of a block's shared memory
  int multiprocessors = 0;             ///< multiprocessors of the device
  /// For shipped(): returns how many blocks of a kernel, named as in Launch, a multiprocessor
  /// holds, given threads and bytes of dynamic shared memory. \throws Unsupported  none fits
  std::function<int(const std::string& kernel, int threads, std::uint64_t shared_bytes)>
      resident_blocks;
};

/// One launch of one kernel.
struct Launch {
  std::string kernel;  ///< unmangled; template arguments only if the file has several instances
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint64_t shared_bytes = 0;  ///< bytes of dynamic shared memory
  std::vector<std::byte>
      arguments;  ///< parameter block, laid out like the kernel's first parameter
};

/// Division of a problem into bands of rows that can be computed one by one, so that
/// one band is transferred while another is computed.
struct Division {
  std::int64_t units = 0;      ///< indivisible units: rows, or rows of image blocks
  std::int64_t unit_rows = 1;  ///< rows of the problem's height in each unit
  std::int64_t halo = 0;       ///< units above and below a band that its results also depend on
};

/// Implementation on the CPU.
enum class Cpu : std::uint8_t {
  reference,  ///< plain loops, whose results are taken as correct
  library,    ///< the library's CPU path, with the threads that it may use
};

class Ladder {
 public:
  virtual ~Ladder() = default;

  virtual std::string_view name() const = 0;
  /// Returns the parameters with their defaults: window, offset, …
  virtual Variables parameters() const = 0;
  /// Creates a problem with random inputs. \param parameters  a value for each of parameters()
  /// \throws InvalidArgument  there is no such problem; the message says why
  virtual Problem problem(std::int64_t width, std::int64_t height, const Variables& parameters,
                          Layout layout) const = 0;
  /// Computes the outputs into the problem's own memory.
  virtual void compute(Problem& problem, Cpu with) const = 0;
  /// Returns about how long the plain loops take, so that long ones can be skipped.
  virtual double reference_seconds(const Problem& problem) const {
    return 3e-9 * static_cast<double>(problem.pixels);
  }
  /// Returns the bytes of the only parameter of a rung's kernel. The shipped rung's kernels are the
  /// library's own and have other parameters: see shipped().
  virtual std::vector<std::byte> arguments(const Problem& problem,
                                           const Placement& placement) const = 0;
  /// Returns the library's own launches for this problem.
  virtual std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const = 0;
  /// Returns the bytes of scratch memory that shipped() needs. This memory is allocated afterwards,
  /// so the placement's `scratch` is not used.
  virtual std::int64_t shipped_scratch_bytes(const Problem& /*problem*/,
                                             const Placement& /*placement*/) const {
    return 0;
  }
  /// Returns the division into bands. A band is a problem of this ladder with the same width and
  /// parameters and fewer rows. Operands whose memory grows with the rows are divided too.
  /// Every band has the other operands whole. By default, a row of results depends on one row only.
  virtual Division division(const Problem& problem) const {
    return {.units = problem.variables.at("height")};
  }
  /// Calls the library for operands in device memory.
  virtual void call(const Problem& problem, const Placement& placement,
                    gpu::StreamHandle stream) const = 0;
};

/// Returns the bytes of a trivially copyable struct.
template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  return {first, first + sizeof(T)};
}

/// Converts a device address to the pointer type of an argument struct.
template <class T>
T* pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT: never read on the host
}

/// Returns the views of an operand in device memory, for the library's own functions.
inline ConstDeviceView device_input(const Problem& problem, const Placement& placement,
                                    std::size_t operand) {
  const ConstHostView host = problem.operands[operand].view();
  return {pointer<const std::byte>(placement.address[operand]),
          host.type(),
          host.width(),
          host.height(),
          host.channels(),
          host.pitch_bytes()};
}
inline DeviceView device_output(const Problem& problem, const Placement& placement,
                                std::size_t operand) {
  const ConstHostView host = problem.operands[operand].view();
  return {pointer<std::byte>(placement.address[operand]),
          host.type(),
          host.width(),
          host.height(),
          host.channels(),
          host.pitch_bytes()};
}

/// Returns all ladders, in the order of the list of primitives.
std::span<const Ladder* const> all();

}  // namespace warpwise::ladders
