// The module behind warpwise.emulator: the C++ testbench with NumPy arrays.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "kernel_arguments.hpp"
#include "launch_counts.hpp"
#include "unlocked.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::python {
namespace {

namespace bench = testbench;

/// A test device, kept alive by every object on it. Launches run without Python's lock, so the
/// mutex keeps them one at a time.
struct Device {
  explicit Device(bench::Backend backend) : testbench(backend) {}
  bench::Testbench testbench;
  std::mutex mutex;
};

/// Most warp instructions of a launch: the default of `warpwise explain` for one capability.
constexpr std::uint64_t default_budget = 100'000'000;

using SharedDevice = std::shared_ptr<Device>;

template <class Body>
auto run_exclusively(const SharedDevice& device, const Body& body) {
  const GilRelease unlocked;
  const std::scoped_lock lock(device->mutex);
  return body(device->testbench);
}

std::string text(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

/// Refuses elements in another byte order than the machine's: kernels read in the machine's order.
void require_native(nb::handle dtype, const char* name) {
  if (!nb::cast<bool>(dtype.attr("isnative")))
    throw InvalidArgument(std::string(name) + " is of " + text(dtype) +
                          ", whose byte order is not the machine's");
}

/// Holds the contiguous bytes of an array: the array that owns them, and its buffer.
class BytesOf {
 public:
  explicit BytesOf(nb::handle array, const char* name) {
    if (!nb::hasattr(array, "dtype"))
      throw nb::type_error(
          (std::string(name) + " is no NumPy array, so it has no NumPy type").c_str());
    const nb::module_ numpy = nb::module_::import_("numpy");
    if (nb::isinstance(array, numpy.attr("ma").attr("MaskedArray")))
      throw InvalidArgument(std::string(name) + " is a masked array; a device has no masks");
    packed_ = numpy.attr("asarray")(array, nb::arg("order") = "C");
    require_native(packed_.attr("dtype"), name);
    const nb::object bytes = packed_.attr("reshape")(-1).attr("view")("uint8");
    if (PyObject_GetBuffer(bytes.ptr(), &buffer_.it, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  nb::object dtype() const { return packed_.attr("dtype"); }
  nb::object shape() const { return packed_.attr("shape"); }
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(buffer_.it.buf),
            static_cast<std::size_t>(buffer_.it.len)};
  }

 private:
  nb::object packed_;
  HeldBuffer buffer_;
};

class PythonBuffer {
 public:
  PythonBuffer(SharedDevice device, bench::Buffer<std::byte> memory, nb::object dtype,
               nb::object shape)
      : device_(std::move(device)), memory_(memory), dtype_(std::move(dtype)),
        shape_(std::move(shape)) {}

  emulator::Address address() const { return memory_.argument(); }
  bool is_on(const SharedDevice& device) const { return device_ == device; }
  nb::any dtype() const { return nb::borrow<nb::any>(dtype_); }
  nb::object shape() const { return shape_; }

  nb::any read() const {
    const auto bytes = run_exclusively(device_, [&](auto&) { return memory_.read(); });
    const nb::bytes copy(bytes.data(), bytes.size());
    const nb::object flat =
        nb::module_::import_("numpy").attr("frombuffer")(copy, nb::arg("dtype") = dtype_);
    return nb::borrow<nb::any>(nb::object(flat.attr("reshape")(shape_).attr("copy")()));
  }

  void write(nb::any elements) const {
    const BytesOf from(elements, "elements");
    if (!from.dtype().equal(dtype_))
      throw InvalidArgument("elements of " + text(from.dtype()) + " are written to a buffer of " +
                            text(dtype_));
    if (const std::size_t bytes = from.bytes().size(); bytes > memory_.size()) {
      const auto element = nb::cast<std::size_t>(dtype_.attr("itemsize"));
      throw InvalidArgument(std::to_string(bytes / element) +
                            " elements are written to a buffer of " +
                            std::to_string(memory_.size() / element));
    }
    run_exclusively(device_, [&](auto&) { memory_.write(from.bytes()); });
  }

 private:
  SharedDevice device_;
  bench::Buffer<std::byte> memory_;
  nb::object dtype_;
  nb::object shape_;
};

class PythonKernel {
 public:
  PythonKernel(SharedDevice device, bench::Kernel kernel, emulator::KernelInfo info)
      : device_(std::move(device)), kernel_(std::move(kernel)), info_(std::move(info)) {}

  const std::string& name() const { return info_.name; }

  bench::Launch launch(nb::handle grid, nb::handle block, const nb::args& arguments,
                       std::uint64_t dynamic_shared_bytes) const {
    const bench::Shape shape{dim3_of(grid, "grid"), dim3_of(block, "block"), dynamic_shared_bytes};
    std::vector<KernelArgument> held;
    held.reserve(arguments.size());
    for (const nb::handle argument : arguments) {
      if (nb::isinstance<PythonBuffer>(argument)) {
        const auto& buffer = nb::cast<const PythonBuffer&>(argument);
        if (!buffer.is_on(device_))
          throw InvalidArgument("argument " + std::to_string(held.size()) +
                                " (from 0) is a Buffer of another Testbench");
        held.push_back(argument_of(buffer.address()));
      } else {
        held.push_back(argument_of(argument, info_, held.size()));
      }
    }
    std::vector<bench::Argument> all;
    all.reserve(held.size());
    for (const KernelArgument& each : held) all.push_back({each.bytes, each.kind});
    return run_exclusively(device_, [&](auto&) { return kernel_.run(shape, all); });
  }

 private:
  SharedDevice device_;
  bench::Kernel kernel_;
  emulator::KernelInfo info_;
};

class PythonModule {
 public:
  PythonModule(SharedDevice device, bench::Module module)
      : device_(std::move(device)), module_(std::move(module)) {}

  PythonKernel kernel(const std::string& name) const {
    return run_exclusively(device_, [&](auto&) {
      const bench::Kernel kernel = module_.kernel(name);
      return PythonKernel(device_, kernel, kernel.info());
    });
  }

  PythonBuffer variable(const std::string& name, nb::any dtype) const {
    const nb::object type = nb::module_::import_("numpy").attr("dtype")(dtype);
    require_native(type, "dtype");
    const auto memory =
        run_exclusively(device_, [&](auto&) { return module_.variable<std::byte>(name); });
    const auto element = nb::cast<std::size_t>(type.attr("itemsize"));
    if (element == 0 || memory.size() % element != 0)
      throw InvalidArgument("variable '" + name + "' has " + std::to_string(memory.size()) +
                            " bytes, which is no multiple of an element's " +
                            std::to_string(element));
    return {device_, memory, type, nb::make_tuple(memory.size() / element)};
  }

 private:
  SharedDevice device_;
  bench::Module module_;
};

class PythonTestbench {
 public:
  PythonTestbench(std::optional<std::string_view> backend,
                  const std::vector<std::string>& compute_capabilities, std::string_view checks,
                  std::uint64_t budget) {
    device_ = std::make_shared<Device>(backend ? backend_named(*backend) : bench::chosen_backend());
    emulator::LaunchOptions& options = device_->testbench.options;
    options.compute_capabilities.clear();
    for (const std::string& each : compute_capabilities)
      options.compute_capabilities.push_back(rules::parse_compute_capability(each));
    options.checks = emulator::parse_checks(checks);
    options.budget = budget;
  }

  std::string backend() const { return std::string(name_of(device_->testbench.backend())); }
  std::size_t skipped() const { return device_->testbench.skipped(); }

  PythonModule load_ptx(std::string_view ptx) const {
    return loaded([&](auto& on) { return on.load_ptx(ptx); });
  }
  PythonModule load(nb::handle file, int architecture, std::vector<std::string> defines,
                    nb::handle include_folders) const {
    const std::filesystem::path path = path_of(file);
    const auto compile = options_of(architecture, std::move(defines), include_folders);
    return loaded([&](auto& on) { return on.load(path, compile); });
  }
  PythonModule load_cuda(const std::string& text, int architecture,
                         std::vector<std::string> defines, nb::handle include_folders,
                         const std::string& name) const {
    const auto compile = options_of(architecture, std::move(defines), include_folders);
    return loaded([&](auto& on) { return on.load_cuda(text, compile, name); });
  }

  PythonBuffer buffer(const std::string& name, nb::any elements) const {
    const BytesOf from(elements, "elements");
    const auto bytes = from.bytes();
    const auto memory = run_exclusively(device_, [&](auto& on) {
      const auto made = on.template zeros<std::byte>(name, bytes.size());
      made.write(bytes);
      return made;
    });
    return {device_, memory, from.dtype(), from.shape()};
  }

  PythonBuffer zeros(const std::string& name, nb::handle shape, nb::handle dtype) const {
    const nb::module_ numpy = nb::module_::import_("numpy");
    // Broadcasting one element gives the shape, type and number of bytes without the memory.
    const nb::object one = numpy.attr("zeros")(nb::tuple(), dtype);
    const nb::object like = numpy.attr("broadcast_to")(one, shape);
    require_native(like.attr("dtype"), "dtype");
    if (nb::cast<bool>(like.attr("dtype").attr("hasobject")))
      throw InvalidArgument("dtype holds Python objects, which a device cannot hold");
    const auto bytes = nb::cast<std::size_t>(like.attr("nbytes"));
    const auto memory = run_exclusively(
        device_, [&](auto& on) { return on.template zeros<std::byte>(name, bytes); });
    return {device_, memory, like.attr("dtype"), like.attr("shape")};
  }

 private:
  static bench::Backend backend_named(std::string_view name) {
    if (const auto named = value_named<bench::Backend>(name)) return *named;
    throw InvalidArgument("backend is '" + std::string(name) +
                          "', but must be one of emulator, gpu");
  }

  /// Converts a str, bytes or os.PathLike to a path in the file system's encoding.
  static std::filesystem::path path_of(nb::handle path) {
    const nb::bytes encoded(nb::module_::import_("os").attr("fsencode")(path));
    const std::string name(encoded.c_str(), encoded.size());
    if (name.find('\0') != std::string::npos)
      throw InvalidArgument(nb::cast<std::string>(nb::repr(path)) +
                            " contains a zero byte, which no path may contain");
    return name;
  }

  static bench::CompileOptions options_of(int architecture, std::vector<std::string> defines,
                                          nb::handle include_folders) {
    bench::CompileOptions options{architecture, std::move(defines), {}};
    if (nb::isinstance<nb::str>(include_folders) || nb::isinstance<nb::bytes>(include_folders))
      throw nb::type_error("include_folders is one path, but must be a list of paths");
    for (const nb::handle each : include_folders) options.include_folders.push_back(path_of(each));
    return options;
  }

  template <class Load>
  PythonModule loaded(const Load& load) const {
    return {device_, run_exclusively(device_, load)};
  }

  SharedDevice device_;
};

void add_classes(nb::module_& module) {
  using nb::arg;
  nb::class_<PythonBuffer>(
      module, "Buffer", "Memory of a Testbench's device. As a kernel's argument it is its address.")
      .def_prop_ro("address", &PythonBuffer::address,
                   "Address of the first byte, for a structure or a buffer of pointers.")
      .def_prop_ro("dtype", &PythonBuffer::dtype, "NumPy type of an element.")
      .def_prop_ro("shape", &PythonBuffer::shape, nb::sig("def shape(self) -> tuple[int, ...]"),
                   "Shape of the array that read() returns.")
      .def("read", &PythonBuffer::read, "Returns the current elements as a new NumPy array.")
      .def("write", &PythonBuffer::write, arg("elements"),
           "Replaces the first elements by those of an array of this dtype. Raises InvalidArgument "
           "if the array has more elements than the buffer.");

  nb::class_<PythonKernel>(module, "Kernel", "A kernel of a module.")
      .def_prop_ro("name", &PythonKernel::name, "Name in the PTX, mangled.")
      .def("launch", &PythonKernel::launch, arg("grid"), arg("block"), arg("arguments"),
           nb::kw_only(), arg("dynamic_shared_bytes") = 0,
           nb::sig("def launch(self, grid: int | tuple[int, ...], block: int | tuple[int, ...], "
                   "*arguments: typing.Any, dynamic_shared_bytes: int = 0) -> Launch"),
           R"(Runs the kernel to its end.

grid, block  numbers of blocks and of threads: one number, or up to three
arguments    a Buffer for a pointer, an int, a float, a NumPy scalar of the parameter's type, or the bytes of a
             structure (bytes, ctypes, a NumPy record)

Raises InvalidArgument if the arguments do not match the parameters, CudaError if a GPU fails.)");

  nb::class_<PythonModule>(module, "Module", "PTX on a device.")
      .def("kernel", &PythonModule::kernel, arg("name"),
           "Returns a kernel by its name: mangled, readable (\"scale<float>\") or the last part of "
           "it. Raises InvalidArgument with the known names, or Unsupported if the emulator does "
           "not run the kernel.")
      .def(
          "variable", &PythonModule::variable, arg("name"), arg("dtype"),
          "Returns a __device__ or __constant__ variable as a Buffer of elements of a NumPy type.");
}

void add_testbench(nb::module_& module) {
  using nb::arg;
  const bench::CompileOptions compile;
  constexpr const char* compiled =
      " nvcc or NVRTC compiles it. Raises Unsupported if there is no compiler, or Error with the "
      "compiler's message.";
  nb::class_<PythonTestbench>(module, "Testbench",
                              R"(A device for tests of CUDA kernels: the emulator, or a GPU.

backend               "emulator", "gpu", or None for the value of the environment variable WARPWISE_TEST_BACKEND
                      (by default emulator)
compute_capabilities  compute capabilities to count costs for
checks                checks to run: "all", "none", or some of memory, races, init, sync, runtime, equal_writes, strict
budget                warp instructions after which a launch ends with a fault; 0: no limit. The default, 100 million,
                      takes some seconds, or up to a minute with all checks. Ctrl-C takes effect after the launch

>>> import numpy
>>> from warpwise import emulator
>>> bench = emulator.Testbench()
>>> bench.buffer("x", numpy.arange(3, dtype=numpy.float32)).read().tolist()
[0.0, 1.0, 2.0])")
      .def(nb::init<std::optional<std::string_view>, const std::vector<std::string>&,
                    std::string_view, std::uint64_t>(),
           nb::kw_only(), arg("backend") = nb::none(),
           arg("compute_capabilities") = std::vector<std::string>{"9.0"}, arg("checks") = "all",
           arg("budget") = default_budget)
      .def_prop_ro("backend", &PythonTestbench::backend, "\"emulator\" or \"gpu\".")
      .def_prop_ro("skipped", &PythonTestbench::skipped,
                   "Number of expectations that were skipped because a GPU has no counts.")
      .def("buffer", &PythonTestbench::buffer, arg("name"), arg("elements"),
           "Creates memory with the elements of a NumPy array. Messages use the name.")
      .def("zeros", &PythonTestbench::zeros, arg("name"), arg("shape"), arg("dtype"),
           nb::sig("def zeros(self, name: str, shape: int | tuple[int, ...], dtype: typing.Any) -> "
                   "Buffer"),
           "Creates memory of zeros. Raises OutOfMemory.")
      .def("load_ptx", &PythonTestbench::load_ptx, arg("ptx"),
           "Creates a module from PTX text. Raises InvalidArgument if the text is malformed.")
      .def("load", &PythonTestbench::load, arg("file"), nb::kw_only(),
           arg("architecture") = compile.architecture, arg("defines") = compile.defines,
           arg("include_folders") = nb::tuple(),
           nb::sig("def load(self, file: str | bytes | os.PathLike[typing.Any], *, architecture: "
                   "int = 75, "
                   "defines: collections.abc.Sequence[str] = [], "
                   "include_folders: collections.abc.Iterable[str | bytes | "
                   "os.PathLike[typing.Any]] = ()) -> Module"),
           (std::string("Creates a module from a PTX file (.ptx) or a CUDA C++ file (.cu).") +
            compiled)
               .c_str())
      .def("load_cuda", &PythonTestbench::load_cuda, arg("text"), nb::kw_only(),
           arg("architecture") = compile.architecture, arg("defines") = compile.defines,
           arg("include_folders") = nb::tuple(), arg("name") = "kernel.cu",
           nb::sig("def load_cuda(self, text: str, *, architecture: int = 75, "
                   "defines: collections.abc.Sequence[str] = [], "
                   "include_folders: collections.abc.Iterable[str | bytes | "
                   "os.PathLike[typing.Any]] = (), "
                   "name: str = ...) -> Module"),
           (std::string("Creates a module from CUDA C++ text; messages use the name.") + compiled)
               .c_str());
}

}  // namespace
}  // namespace warpwise::python

// The package imports _warpwise first; its translator turns C++ exceptions into Python's.
NB_MODULE(_emulator, module) {
  using namespace warpwise::python;  // NOLINT: the macro's function has no namespace
  add_launch(module);
  add_classes(module);
  add_testbench(module);
}
