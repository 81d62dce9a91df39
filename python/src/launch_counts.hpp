#pragma once

#include <nanobind/nanobind.h>

namespace warpwise::python {

namespace nb = nanobind;

/// Adds Launch and the classes of its counts and faults.
void add_launch(nb::module_& module);

}  // namespace warpwise::python
