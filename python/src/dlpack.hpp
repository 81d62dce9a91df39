#pragma once

// The structures of DLPack 1.x and of the versions before 1.0, with the specification's layout
// (github.com/dmlc/dlpack).

#include <cstdint>

namespace warpwise::python::dlpack {

enum class DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum class TypeCode : std::uint8_t {
  integer = 0,
  unsigned_integer = 1,
  real = 2,
  bfloat = 4,
  boolean = 6
};

struct Device {
  DeviceType type;
  std::int32_t id;
};

struct DataType {
  TypeCode code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t axes;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null: no gaps
  std::uint64_t byte_offset;
};

/// Content of a capsule named "dltensor".
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

inline constexpr std::uint64_t flag_read_only = 1;
inline constexpr std::uint64_t flag_copied = 2;

/// Content of a capsule named "dltensor_versioned".
struct ManagedTensorVersioned {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

/// Content of an array type's attribute `__dlpack_c_exchange_api__`, a capsule named
/// "dlpack_exchange_api". Its functions lend and make arrays in C and order no streams. They return
/// 0, or -1 with Python's exception set.
struct ExchangeApi {
  std::uint32_t major;
  std::uint32_t minor;
  ExchangeApi* before;  ///< table of an older major version, or null
  int (*allocate)(Tensor* like, ManagedTensorVersioned** made, void* context,
                  void (*failed)(void* context, const char* kind, const char* message));
  int (*from_object)(void* object, ManagedTensorVersioned** lent);
  int (*to_object)(ManagedTensorVersioned* taken, void** object);
  int (*look_at_object)(void* object, Tensor* seen);  ///< may be null
  int (*current_stream)(DeviceType type, std::int32_t id, void** stream);
};

}  // namespace warpwise::python::dlpack
