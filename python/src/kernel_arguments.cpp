#include "kernel_arguments.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "warpwise/base/error.hpp"

namespace warpwise::python {
namespace {

using testbench::ArgumentKind;

template <class T>
KernelArgument argument_with(T value, ArgumentKind kind) {
  KernelArgument made{std::vector<std::byte>(sizeof(T)), kind};
  std::memcpy(made.bytes.data(), &value, sizeof(T));
  return made;
}

std::string place(std::size_t index) { return "argument " + std::to_string(index) + " (from 0)"; }

KernelArgument floating(double value, std::string_view type, std::size_t index) {
  if (type == "f32") {
    if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max())
      throw InvalidArgument(place(index) + " is " +
                            nb::cast<std::string>(nb::repr(nb::float_(value))) +
                            ", which does not fit its parameter .f32");
    return argument_with(static_cast<float>(value), ArgumentKind::floating);
  }
  return argument_with(value,
                       ArgumentKind::floating);  // the launch refuses it if the size does not match
}

/// Makes an integer argument with the parameter's size. PTX declares a C++ int as .u32 too, so
/// signed and unsigned values are both taken.
KernelArgument integer(nb::handle value, std::uint64_t bytes, std::size_t index) {
  static_assert(std::endian::native == std::endian::little);
  const auto outside = [&] {
    return InvalidArgument(place(index) + " is " + nb::cast<std::string>(nb::str(value)) +
                           ", which does not fit an integer of " + std::to_string(bytes) +
                           " bytes");
  };
  std::int64_t number = 0;
  if (std::uint64_t large = 0; nb::try_cast(value, large)) {
    number = static_cast<std::int64_t>(large);
    if (bytes < 8 && large >> (8 * bytes) != 0) throw outside();
  } else if (nb::try_cast(value, number)) {
    if (bytes < 8 && number < -(std::int64_t{1} << (8 * bytes - 1))) throw outside();
  } else {
    throw outside();
  }
  KernelArgument made = argument_with(number, ArgumentKind::integer);
  made.bytes.resize(bytes);
  return made;
}

ArgumentKind kind_of_format(const char* format) {
  const std::string_view letters = format == nullptr ? "" : format;
  if (letters.size() != 1) return ArgumentKind::structure;
  if (letters == "f" || letters == "d") return ArgumentKind::floating;
  return std::string_view("bBhHiIlLqQ?").find(letters) == std::string_view::npos
             ? ArgumentKind::structure
             : ArgumentKind::integer;
}

/// Converts an integer of any kind, such as NumPy's, to an int. Returns null for other objects.
nb::object whole_number(nb::handle value) {
  PyObject* made = PyNumber_Index(value.ptr());
  if (made == nullptr) PyErr_Clear();
  return nb::steal(made);
}

}  // namespace

KernelArgument argument_of(emulator::Address address) {
  return argument_with(address, ArgumentKind::integer);
}

KernelArgument argument_of(nb::handle value, const emulator::KernelInfo& kernel,
                           std::size_t index) {
  // The launch reports a surplus argument, with the number of arguments.
  const bool known = index < kernel.parameter_types.size();
  const std::string_view type = known ? kernel.parameter_types[index] : "u64";
  const std::uint64_t bytes = known ? kernel.parameter_bytes[index] : 8;
  if (value.is_none())
    throw InvalidArgument(place(index) +
                          " is of type NoneType: pass a Buffer, or 0 for a pointer to nothing");
  if (PyFloat_Check(value.ptr()) != 0) return floating(nb::cast<double>(value), type, index);
  if (PyLong_Check(value.ptr()) != 0) {
    if (type.starts_with('f')) return floating(nb::cast<double>(nb::float_(value)), type, index);
    if (bytes <= 8) return integer(value, bytes, index);
    throw InvalidArgument(place(index) + " is an int, its parameter a structure of " +
                          std::to_string(bytes) + " bytes: pass its bytes");
  }
  if (nb::hasattr(value, "ndim") && nb::hasattr(value, "dtype") &&
      nb::cast<int>(value.attr("ndim")) > 0)
    throw InvalidArgument(place(index) +
                          " is an array: pass a Buffer that Testbench.buffer() makes of it");
  HeldBuffer buffer;
  if (PyObject_CheckBuffer(value.ptr()) == 0)
    throw nb::type_error((place(index) + " is of type " +
                          nb::cast<std::string>(nb::getattr(value.type(), "__name__")) +
                          ": pass a Buffer, a number or the bytes of a structure")
                             .c_str());
  if (PyObject_GetBuffer(value.ptr(), &buffer.it, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0)
    throw nb::python_error();
  const auto* from = static_cast<const std::byte*>(buffer.it.buf);
  return {{from, from + buffer.it.len},
          buffer.it.ndim == 0 ? kind_of_format(buffer.it.format) : ArgumentKind::structure};
}

emulator::Dim3 dim3_of(nb::handle value, const char* name) {
  std::array<std::uint32_t, 3> sizes{1, 1, 1};
  const auto number = [&](nb::handle each) {
    std::uint32_t size = 0;
    if (const nb::object whole = whole_number(each); !whole || !nb::try_cast(whole, size))
      throw InvalidArgument(std::string(name) + " has " + nb::cast<std::string>(nb::repr(each)) +
                            ", which is no number of blocks or threads");
    return size;
  };
  if (whole_number(value)) {
    sizes[0] = number(value);
  } else {
    std::size_t axes = 0;
    for (const nb::handle each : nb::borrow<nb::iterable>(value)) {
      if (axes == sizes.size())
        throw InvalidArgument(std::string(name) + " has more than three numbers");
      sizes[axes++] = number(each);
    }
    if (axes == 0) throw InvalidArgument(std::string(name) + " has no number");
  }
  return {sizes[0], sizes[1], sizes[2]};
}

}  // namespace warpwise::python
