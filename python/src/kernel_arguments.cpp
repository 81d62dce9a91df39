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

/// Shows a value in a message. Python shows no int of thousands of digits.
std::string shown(nb::handle value) {
  const nb::object text = nb::steal(PyObject_Repr(value.ptr()));
  if (text) return nb::cast<std::string>(text);
  PyErr_Clear();
  return "an int of many digits";
}

/// Returns true for an array in PTX, as which compilers declare a structure.
bool is_structure(std::string_view type, std::uint64_t bytes) {
  return type.size() > 1 && type[1] >= '0' && type[1] <= '9' &&
         type.substr(1) != std::to_string(8 * bytes);
}

/// Returns true if a format of Python's struct module has a part in another byte order than the
/// machine's. Names of fields stand between colons.
bool is_swapped(std::string_view format) {
  static_assert(std::endian::native == std::endian::little);
  bool in_name = false;
  for (const char letter : format) {
    if (letter == ':') in_name = !in_name;
    if (!in_name && (letter == '>' || letter == '!')) return true;
  }
  return false;
}

KernelArgument floating(double value, std::string_view type, std::size_t index) {
  if (type == "f32") {
    if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max())
      throw InvalidArgument(place(index) + " is " + shown(nb::float_(value)) +
                            ", which does not fit its parameter .f32");
    return argument_with(static_cast<float>(value), ArgumentKind::floating);
  }
  return argument_with(value,
                       ArgumentKind::floating);  // the launch refuses it if the size does not match
}

/// Converts an int to a float argument.
KernelArgument floating_of_int(nb::handle value, std::string_view type, std::size_t index) {
  const double number = PyLong_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw InvalidArgument(place(index) + " is " + shown(value) +
                          ", which does not fit its parameter ." + std::string(type));
  }
  return floating(number, type, index);
}

/// Makes an integer argument with the parameter's size. PTX declares a C++ int as .u32 too, so
/// signed and unsigned values are both taken.
KernelArgument integer(nb::handle value, std::uint64_t bytes, std::size_t index) {
  const auto outside = [&] {
    return InvalidArgument(place(index) + " is " + shown(value) +
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

ArgumentKind kind_of_format(std::string_view letters) {
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
  const std::string type = known ? kernel.parameter_types[index] : "u64";
  const std::uint64_t bytes = known ? kernel.parameter_bytes[index] : 8;
  if (value.is_none())
    throw InvalidArgument(place(index) +
                          " is of type NoneType: pass a Buffer, or 0 for a pointer to nothing");
  const std::string name = nb::cast<std::string>(nb::getattr(value.type(), "__name__"));
  const auto require_number = [&] {
    if (is_structure(type, bytes))
      throw InvalidArgument(place(index) + " is of type " + name +
                            ", its parameter a structure of " + std::to_string(bytes) +
                            " bytes: pass its bytes");
  };
  if (PyFloat_Check(value.ptr()) != 0) {
    require_number();
    return floating(nb::cast<double>(value), type, index);
  }
  if (PyLong_Check(value.ptr()) != 0) {
    require_number();
    if (type.starts_with('f')) return floating_of_int(value, type, index);
    return integer(value, bytes, index);
  }
  if (nb::hasattr(value, "ndim") && nb::hasattr(value, "dtype") &&
      nb::cast<int>(value.attr("ndim")) > 0)
    throw InvalidArgument(place(index) +
                          " is an array: pass a Buffer that Testbench.buffer() makes of it");
  HeldBuffer buffer;
  if (PyObject_CheckBuffer(value.ptr()) == 0)
    throw nb::type_error((place(index) + " is of type " + name +
                          ": pass a Buffer, a number or the bytes of a structure")
                             .c_str());
  if (PyObject_GetBuffer(value.ptr(), &buffer.it, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0)
    throw nb::python_error();
  const char* format = buffer.it.format == nullptr ? "" : buffer.it.format;
  // The format of a union of ctypes does not say its byte order.
  if (is_swapped(format) || nb::hasattr(value, "_swappedbytes_"))
    throw InvalidArgument(place(index) + " is of type " + name +
                          " in a byte order that is not the machine's");
  const auto kind = buffer.it.ndim == 0 ? kind_of_format(format) : ArgumentKind::structure;
  if (kind != ArgumentKind::structure) require_number();
  const auto* from = static_cast<const std::byte*>(buffer.it.buf);
  return {{from, from + buffer.it.len}, kind};
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
