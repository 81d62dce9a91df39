#pragma once

// Helpers that the functions of all primitives use for their arguments and results.

#include <string>
#include <string_view>

#include "borrowed_array.hpp"
#include "unlocked.hpp"
#include "warpwise/gpu/sharing.hpp"

namespace warpwise::python {

template <class Enum>
Enum parse(std::string_view word, const char* name) {
  if (const auto value = value_named<Enum>(word)) return *value;
  std::string names;
  for (const Enum each : all_values<Enum>())
    names += (names.empty() ? "" : ", ") + std::string(name_of(each));
  throw InvalidArgument(std::string(name) + " is '" + std::string(word) + "', but must be one of " +
                        names);
}

/// Returns the word that Python uses for an option's value.
template <class Enum>
const char* word(Enum value) {
  return name_of(value).data();  // a literal, so it ends with a zero
}

/// Converts DLPack's number of a stream to the library's handle.
inline gpu::StreamHandle gpu_stream(std::uintptr_t number) {
  return reinterpret_cast<gpu::StreamHandle>(number);  // NOLINT
}

/// Makes a GPU the current one while this object lives.
class OnDevice {
 public:
  explicit OnDevice(int device) : before_(gpu::current_device()) {
    if (before_ == device) before_ = -1;
    if (before_ >= 0) gpu::set_device(device);
  }
  ~OnDevice() {
    try {
      if (before_ >= 0) gpu::set_device(before_);
    } catch (const Error&) {  // that GPU is full, or reserved by another process
    }
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_;
};

template <Memory memory>
struct Views {
  using In = BasicView<memory, Access::read>;
  using Out = BasicView<memory, Access::read_write>;
  using InFrame = BasicFrame<memory, Access::read>;
  using OutFrame = BasicFrame<memory, Access::read_write>;
};

inline void require_same_memory(const Array& first, const Array& other) {
  if (first.memory() != other.memory() || first.device() != other.device())
    other.fail("is not in the same memory as the first array");
}

/// Calls body(views) for arrays on the host and body(views, stream) for arrays on a GPU. Python's
/// lock is released during the call.
template <class Body>
void call(const Array& first, const Stream& stream, const Body& body) {
  std::optional<OnDevice> on;
  if (first.memory() == Memory::device) on.emplace(first.device());
  const GilRelease unlocked;
  if (first.memory() == Memory::host) {
    body(Views<Memory::host>{});
  } else {
    body(Views<Memory::device>{}, gpu_stream(stream.handle));
  }
}

/// Returns the array for a result: `out`, or a new array if `out` is None.
inline nb::object result(const nb::object& out, const Array& like, const nb::object& object,
                         std::initializer_list<std::int64_t> shape, ElementType type,
                         const Stream& stream) {
  return out.is_none() ? make_array(like, object, {shape.begin(), shape.size()}, type, stream)
                       : out;
}

/// Converts a new result to a JAX array if the first input is one. Returns `out` as it is.
inline nb::any to_jax_if_needed(nb::object made, const nb::object& out, const Array& like) {
  if (!out.is_none() || like.kind() != Kind::jax) return nb::borrow<nb::any>(made);
  const nb::module_ jax = nb::module_::import_("jax");
  return nb::borrow<nb::any>(like.memory() == Memory::device
                                 ? nb::object(jax.attr("dlpack").attr("from_dlpack")(made))
                                 : nb::object(jax.attr("numpy").attr("asarray")(made)));
}

/// Each of these adds one source file's functions and classes to the module.
void add_images(nb::module_& module);
void add_chain(nb::module_& module);
void add_matching(nb::module_& module);

}  // namespace warpwise::python
