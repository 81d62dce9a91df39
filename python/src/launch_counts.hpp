#pragma once

#include <nanobind/nanobind.h>

namespace warpwise::python {

namespace nb = nanobind;

/// Adds Launch, and what it counted and found.
void add_launch(nb::module_& module);

}  // namespace warpwise::python
