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

/// The ladder of a primitive, as the laboratory sees it: a problem, its inputs, what the result has
/// to be, and how the library itself launches its kernels for it. The rungs are no C++: they are
/// CUDA files and one table, `ladder.json`, in the primitive's `ladder` folder, compiled at run
/// time. See warpwise/lab/README.md.
namespace warpwise::ladders {

/// Integers by name: a problem's size and parameters, a rung's constants. The table's expressions
/// use them.
using Variables = std::map<std::string, std::int64_t, std::less<>>;

/// Where an operand's pixels lie in its memory: so many pixels behind the first byte, so many
/// pixels of padding behind each row.
struct Layout {
  std::int64_t offset_pixels = 0;
  std::int64_t padding_pixels = 0;
};

/// A two-dimensional array of a problem with its host memory.
class Operand {
 public:
  /// Bytes that no kernel may change: what lies between the rows of an output, and what it holds
  /// before a kernel has run.
  static constexpr std::byte sentinel{0xa5};

  /// Memory of an output, filled with the sentinel, or of an input, its pixels random but the same
  /// in every run for each name. \throws InvalidArgument  as BasicView  \throws OutOfMemory  with
  /// both numbers, for more than an eighth of this machine's memory
  static Operand input(std::string name, ElementType type, std::int64_t width, std::int64_t height,
                       int channels = 1, Layout layout = {});
  static Operand output(std::string name, ElementType type, std::int64_t width, std::int64_t height,
                        int channels = 1, Layout layout = {});

  const std::string& name() const { return name_; }
  bool is_output() const { return is_output_; }
  /// Of the allocation: the first pixel lies offset_bytes() behind its start.
  std::span<std::byte> memory() { return memory_; }
  std::span<const std::byte> memory() const { return memory_; }
  std::int64_t offset_bytes() const { return offset_bytes_; }
  std::int64_t pitch_bytes() const { return pitch_bytes_; }
  HostView view();
  ConstHostView view() const;

  /// How far an element of an output may lie from what is expected: one number for each element,
  /// row by row; empty when the bits have to be the same.
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

/// What limits a problem on an ideal machine; the roof that a time is compared with.
enum class Roof : std::uint8_t {
  copy,    ///< bytes, against a device-to-device copy
  read,    ///< bytes, against a kernel that only reads: the problem hardly writes
  vsadu4,  ///< absolute differences of bytes, against the rate of __vsadu4
};
constexpr auto enum_names(Roof) {
  return std::to_array<EnumName<Roof>>(
      {{Roof::copy, "copy"}, {Roof::read, "read"}, {Roof::vsadu4, "vsadu4"}});
}

struct Problem {
  Variables variables;            ///< width, height and the parameters, for the table's expressions
  std::vector<Operand> operands;  ///< the outputs hold the sentinel
  std::int64_t bytes = 0;         ///< each input read once, each output written once
  std::int64_t pixels = 0;        ///< what "references per pixel" counts by
  std::int64_t operations = 0;    ///< absolute differences, where the roof is vsadu4
  Roof roof = Roof::copy;

  const Operand& operand(std::string_view name) const;
};

/// Where the operands of a problem lie on a device, real or emulated, in the order of
/// Problem::operands.
struct Placement {
  std::vector<std::uint64_t> address;  ///< of the first pixel
  std::vector<std::uint64_t> texture;  ///< texture objects, 0 where the rung asks for none
  std::uint64_t scratch = 0;           ///< as many bytes as the rung asked for, or 0
  std::int64_t max_shared_bytes = 0;   ///< of the device, that a block may ask for
  int multiprocessors = 0;             ///< of the device
  /// For shipped(): blocks of so many threads and bytes of dynamic shared memory that a
  /// multiprocessor holds, of a kernel named as in Launch. \throws Unsupported  none fits
  std::function<int(const std::string& kernel, int threads, std::uint64_t shared_bytes)>
      resident_blocks;
};

/// One launch of one kernel.
struct Launch {
  std::string kernel;  ///< plain name, without template arguments where the file has only one of it
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint64_t shared_bytes = 0;  ///< dynamic
  std::vector<std::byte>
      arguments;  ///< the parameter block, as the kernel's first parameter lays it out
};

/// How a problem divides into bands of rows that can be computed one by one, so that one is on its
/// way while another is computed.
struct Division {
  std::int64_t units = 0;      ///< what is never divided: rows, or rows of blocks
  std::int64_t unit_rows = 1;  ///< of the problem's height, in each
  std::int64_t halo = 0;       ///< units above and below a band that its results depend on too
};

/// Which implementation of the CPU computes.
enum class Cpu : std::uint8_t {
  reference,  ///< plain loops: the truth
  library,    ///< what the library does on a CPU, with the threads that it is allowed
};

class Ladder {
 public:
  virtual ~Ladder() = default;

  virtual std::string_view name() const = 0;
  /// The parameters with their defaults: window, offset, …
  virtual Variables parameters() const = 0;
  /// A problem with random inputs. \param parameters  all that parameters() names
  /// \throws InvalidArgument  when there is no such problem, and why
  virtual Problem problem(std::int64_t width, std::int64_t height, const Variables& parameters,
                          Layout layout) const = 0;
  /// Computes the outputs into the problem's own memory.
  virtual void compute(Problem& problem, Cpu with) const = 0;
  /// About how long the plain loops take: nobody waits for them where it is long.
  virtual double reference_seconds(const Problem& problem) const {
    return 3e-9 * static_cast<double>(problem.pixels);
  }
  /// The one parameter that the kernels of all rungs but the shipped one take.
  virtual std::vector<std::byte> arguments(const Problem& problem,
                                           const Placement& placement) const = 0;
  /// What the library launches for this problem, and the scratch memory that it takes for it, of
  /// which the placement knows nothing yet.
  virtual std::vector<Launch> shipped(const Problem& problem, const Placement& placement) const = 0;
  virtual std::int64_t shipped_scratch_bytes(const Problem& /*problem*/,
                                             const Placement& /*placement*/) const {
    return 0;
  }
  /// A band is a problem of this ladder, as wide, with the same parameters, and so many rows;
  /// memory of an operand that grows with the rows is divided like them, other operands belong to
  /// each band. By default each row depends on itself alone.
  virtual Division division(const Problem& problem) const {
    return {.units = problem.variables.at("height")};
  }
  /// Calls the library for operands that lie in device memory.
  virtual void call(const Problem& problem, const Placement& placement,
                    gpu::StreamHandle stream) const = 0;
};

/// The bytes of a trivially copyable struct.
template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  return {first, first + sizeof(T)};
}

/// A device address as the pointer that an argument struct holds.
template <class T>
T* pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT: never read on the host
}

/// The views of an operand that lies in device memory, for the library's own functions.
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

/// Every ladder there is, in the order of the list of primitives.
std::span<const Ladder* const> all();

}  // namespace warpwise::ladders
