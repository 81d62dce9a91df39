#pragma once

#include "borrowed_array.hpp"

namespace warpwise::python {

/// Makes a DeviceArray on a GPU, for libraries whose arrays cannot be made from here.
nb::object make_device_array(int device, std::span<const std::int64_t> shape, ElementType type,
                             const Stream& stream);

/// Adds the class DeviceArray.
void add_device_array(nb::module_& module);

}  // namespace warpwise::python
