// The Python module: each primitive with the names, defaults and results of its C++ function.

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "call.hpp"
#include "device_array.hpp"

namespace warpwise::python {
namespace {

/// Python's exception class for each C++ exception.
struct Exceptions {
  PyObject* error;
  PyObject* invalid_argument;
  PyObject* no_cuda_device;
  PyObject* cuda_error;
  PyObject* out_of_memory;
  PyObject* unsupported;
  PyObject* io_error;
};
Exceptions exceptions;

PyObject* make_exception(nb::module_& module, const char* name, const nb::object& bases,
                         const char* text) {
  PyObject* made = PyErr_NewExceptionWithDoc((std::string("warpwise.") + name).c_str(), text,
                                             bases.ptr(), nullptr);
  if (made == nullptr) throw nb::python_error();
  module.attr(name) = nb::borrow(made);
  return made;
}

void add_exceptions(nb::module_& module) {
  exceptions.error = make_exception(module, "Error", nb::borrow(PyExc_Exception),
                                    "Base class of Warpwise's exceptions.");
  const nb::object base = nb::borrow(exceptions.error);
  exceptions.invalid_argument =
      make_exception(module, "InvalidArgument", nb::make_tuple(base, nb::borrow(PyExc_ValueError)),
                     "An invalid array, option or combination of them; also a ValueError.");
  exceptions.no_cuda_device = make_exception(
      module, "NoCudaDevice", base, "There is no GPU, no driver, or no CUDA in this build.");
  exceptions.cuda_error = make_exception(module, "CudaError", base, "A CUDA call failed.");
  exceptions.out_of_memory =
      make_exception(module, "OutOfMemory", nb::make_tuple(base, nb::borrow(PyExc_MemoryError)),
                     "There is not enough memory; also a MemoryError.");
  exceptions.unsupported = make_exception(
      module, "Unsupported", base,
      "Something valid that Warpwise does not support; the message names it and its place.");
  exceptions.io_error =
      make_exception(module, "IoError", nb::make_tuple(base, nb::borrow(PyExc_OSError)),
                     "A file could not be read or written; also an OSError.");
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InvalidArgument& error) {
      PyErr_SetString(exceptions.invalid_argument, error.what());
    } catch (const NoCudaDevice& error) {
      PyErr_SetString(exceptions.no_cuda_device, error.what());
    } catch (const CudaError& error) {
      PyErr_SetString(exceptions.cuda_error, error.what());
    } catch (const OutOfMemory& error) {
      PyErr_SetString(exceptions.out_of_memory, error.what());
    } catch (const Unsupported& error) {
      PyErr_SetString(exceptions.unsupported, error.what());
    } catch (const IoError& error) {
      PyErr_SetString(exceptions.io_error, error.what());
    } catch (const Error& error) {
      PyErr_SetString(exceptions.error, error.what());
    }
  });
}

template <class Enum>
nb::tuple names() {
  nb::list list;
  for (const Enum each : all_values<Enum>())
    list.append(nb::str(name_of(each).data(), name_of(each).size()));
  return nb::tuple(list);
}

/// Returns the names of each enum's values; a test compares the package's enums with them.
nb::dict enums() {
  nb::dict all;
  all["SobelOutput"] = names<SobelOutput>();
  all["Norm"] = names<Norm>();
  all["SobelKernel"] = names<SobelKernel>();
  all["Border"] = names<Border>();
  all["ChannelOrder"] = names<ChannelOrder>();
  all["ThresholdMethod"] = names<ThresholdMethod>();
  all["PixelFormat"] = names<PixelFormat>();
  all["Convention"] = names<Convention>();
  all["Matrix"] = names<Matrix>();
  all["Range"] = names<Range>();
  all["ChromaUpsampling"] = names<ChromaUpsampling>();
  all["Measure"] = names<Measure>();
  all["MatchBorder"] = names<MatchBorder>();
  return all;
}

/// Limits threads like the library. No call uses as many as an int holds.
void limit_threads(std::int64_t threads) {
  using Limits = std::numeric_limits<int>;
  cpu::limit_threads(
      static_cast<int>(std::clamp<std::int64_t>(threads, Limits::min(), Limits::max())));
}

}  // namespace
}  // namespace warpwise::python

NB_MODULE(_warpwise, module) {
  using namespace warpwise::python;  // NOLINT: the macro's function has no namespace
  // Other libraries may still hold objects at exit. nanobind would report them as leaks.
  nanobind::set_leak_warnings(false);
  find_numpy();
  add_exceptions(module);
  module.def("enums", &enums, nb::sig("def enums() -> dict[str, tuple[str, ...]]"),
             "Returns the names of each enum's values.");
  module.def("device_count", &warpwise::gpu::device_count,
             "Returns the number of GPUs that CUDA can use; 0 without a GPU, a driver, or CUDA in "
             "this build.");
  module.def("why_no_device", &warpwise::gpu::why_no_device,
             "Returns the reason why device_count() is 0, or an empty text.");
  module.def(
      "limit_threads", &limit_threads, nanobind::arg("threads"),
      R"(Limits the threads of a call on the CPU, the calling one included, for all calls in this process.

All calls share the other threads: at most one less than the limit. Threads that call at the same time still compute at
the same time. 0, the default, means all cores that the process may use. Meant for programs of many processes, as on a
cluster. Raises InvalidArgument for a negative number.)");
  add_device_array(module);
  add_images(module);
  add_chain(module);
  add_matching(module);
}
