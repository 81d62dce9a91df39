#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

// Finds how a kernel's addresses in memory depend on a thread's indices.
namespace warpwise::lab {

/// Distance between the addresses of two threads whose indices differ by one.
struct Step {
  std::int64_t bytes = 0;    ///< not used if `by_variable`
  bool by_variable = false;  ///< a multiple of a value known only at run time, such as a pitch

  bool is_none() const { return bytes == 0 && !by_variable; }
  friend bool operator==(const Step&, const Step&) = default;
};

/// Indices that an address may depend on; positions in AddressForm::steps.
enum AddressIndex : std::uint8_t { thread_x, thread_y, thread_z, block_x, block_y, block_z };
constexpr std::size_t address_indices = 6;

/// An address as a function of the thread's indices.
struct AddressForm {
  enum class Kind : std::uint8_t {
    unknown,   ///< nothing in the code tells how it is computed
    affine,    ///< a sum of indices times `steps`
    computed,  ///< depends on threadIdx in another way: a remainder, a hash, a shuffle
    loaded     ///< depends on values that threads load for themselves
  };
  Kind kind = Kind::unknown;
  std::array<Step, address_indices> steps = {};
  std::optional<std::size_t> parameter;  ///< index of the parameter that points to the array
  std::string variable;                  ///< array of shared memory: its name in PTX, if known
  bool advances_in_loop = false;         ///< a loop advances the address by a constant
  std::set<std::size_t> sources = {};    ///< parameters whose loaded values the address depends on
};

/// A load from global memory, or a store to it.
struct GlobalAccess {
  std::string file;  ///< name as in LineCounts
  int line = 0;
  bool is_store = false;
  bool is_float = false;
  std::int64_t bytes = 0;   ///< bytes that a thread accesses
  std::int64_t offset = 0;  ///< constant part of the address in bytes
  AddressForm address;
};

/// Returns a kernel's accesses in the order of its PTX, without atomics. If all threads of a block
/// load the same value, an address with this value is still Kind::affine, not Kind::loaded.
/// \param kernel  mangled name
/// \throws InvalidArgument  as ptx::parse()
std::vector<GlobalAccess> global_accesses(const std::string& ptx, const std::string& kernel);

/// A load from shared memory, or a store to it.
struct SharedAccess {
  std::string file;  ///< name as in LineCounts
  int line = 0;
  bool is_store = false;
  std::int64_t bytes = 0;  ///< bytes that a thread accesses
  std::string variable;    ///< the array's name in the source; empty if unknown
  std::string base;        ///< the PTX's register or variable to which the address adds a constant
  AddressForm address;
};

/// Returns a kernel's accesses to shared memory in the order of its PTX, without atomics.
/// \param kernel  mangled name
/// \throws InvalidArgument  as ptx::parse()
std::vector<SharedAccess> shared_accesses(const std::string& ptx, const std::string& kernel);

/// Returns the parameters whose elements are indices: an address in global memory, also one of an
/// atomic, is computed from them. Row offsets, at which a loop begins, do not count as indices.
/// \param kernel  mangled name
/// \throws InvalidArgument  as ptx::parse()
std::set<std::size_t> index_sources(const std::string& ptx, const std::string& kernel);

/// Returns the parameters whose elements the kernel changes by stores or atomics.
/// \param kernel  mangled name
/// \throws InvalidArgument  as ptx::parse()
std::set<std::size_t> written_parameters(const std::string& ptx, const std::string& kernel);

}  // namespace warpwise::lab
