// What came of a launch, as plain objects.

#include "launch_counts.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/testbench/testbench.hpp"

namespace warpwise::python {
namespace {

namespace bench = testbench;

/// Text that may have any bytes, of a kernel's printf or of a file: those that are no UTF-8 are
/// shown as \xNN.
nb::str text_of(std::string_view text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

/// A member that is such a text.
template <class Of>
auto text_of(std::string Of::* member) {
  return [member](const Of& of) { return text_of(of.*member); };
}

template <class Counts>
void add_counts(nb::module_& module, const char* name, const char* text,
                std::vector<std::pair<const char*, std::uint64_t Counts::*>> fields) {
  nb::class_<Counts> made(module, name, text);
  for (const auto& [field, member] : fields) made.def_ro(field, member);
  made.def("__repr__", [name, fields = std::move(fields)](const Counts& counts) {
    std::string all;
    for (const auto& [field, member] : fields)
      all += (all.empty() ? "" : ", ") + std::string(field) + "=" + std::to_string(counts.*member);
    return std::string(name) + "(" + all + ")";
  });
}

void add_memory_counts(nb::module_& module) {
  using Execution = emulator::ExecutionCounts;
  using Traffic = emulator::TrafficCounts;
  using Passes = emulator::PassCounts;
  using Memory = emulator::MemoryCounts;
  add_counts<Execution>(module, "ExecutionCounts",
                        "What was executed, whatever the compute capability.",
                        {{"warp_instructions", &Execution::warp_instructions},
                         {"thread_instructions", &Execution::thread_instructions},
                         {"branches", &Execution::branches},
                         {"divergent_branches", &Execution::divergent_branches},
                         {"barriers", &Execution::barriers}});
  add_counts<Traffic>(
      module, "TrafficCounts",
      "Accesses to global or local memory; one request is one instruction of a warp.",
      {{"requests", &Traffic::requests},
       {"references", &Traffic::references},
       {"transactions_32", &Traffic::transactions_32},
       {"transactions_64", &Traffic::transactions_64},
       {"transactions_128", &Traffic::transactions_128},
       {"bytes_requested", &Traffic::bytes_requested},
       {"bytes_moved", &Traffic::bytes_moved},
       {"ideal_transactions", &Traffic::ideal_transactions}});
  add_counts<Passes>(
      module, "PassCounts",
      "Accesses to shared or constant memory, and the passes (wavefronts) that they take.",
      {{"requests", &Passes::requests},
       {"passes", &Passes::passes},
       {"ideal_passes", &Passes::ideal_passes}});
  nb::class_<Memory>(module, "MemoryCounts", "Memory counts for one compute capability.")
      .def_ro("global_load", &Memory::global_load)
      .def_ro("global_store", &Memory::global_store)
      .def_ro("global_atomic", &Memory::global_atomic)
      .def_ro("local_load", &Memory::local_load)
      .def_ro("local_store", &Memory::local_store)
      .def_ro("shared_load", &Memory::shared_load)
      .def_ro("shared_store", &Memory::shared_store)
      .def_ro("shared_atomic", &Memory::shared_atomic)
      .def_ro("constant", &Memory::constant)
      .def_ro("texture_requests", &Memory::texture_requests)
      .def_ro("texture_references", &Memory::texture_references);
  using Line = emulator::LineCounts;
  nb::class_<Line>(module, "LineCounts", "The counts of one source line.")
      .def_prop_ro("file", text_of(&Line::file))
      .def_ro("line", &Line::line)
      .def_ro("execution", &Line::execution)
      .def_ro("memory", &Line::memory, "For each compute capability of the Testbench.");
}

nb::tuple place(const emulator::Dim3& at) { return nb::make_tuple(at.x, at.y, at.z); }

void add_fault(nb::module_& module) {
  using emulator::Fault;
  nb::class_<Fault>(module, "Fault",
                    "The first of the faults of one kind on one line, and how many threads met it.")
      .def_prop_ro(
          "kind", [](const Fault& fault) { return std::string(name_of(fault.kind)); },
          "\"out_of_bounds\", \"race\", …")
      .def_prop_ro("message", text_of(&Fault::message))
      .def_prop_ro("file", text_of(&Fault::file))
      .def_ro("line", &Fault::line, "0 where it is not known.")
      .def_ro("count", &Fault::count)
      .def_prop_ro(
          "thread", [](const Fault& fault) { return place(fault.thread); },
          nb::sig("def thread(self) -> tuple[int, int, int]"))
      .def_prop_ro(
          "block", [](const Fault& fault) { return place(fault.block); },
          nb::sig("def block(self) -> tuple[int, int, int]"))
      .def("__repr__", [](const Fault& fault) {
        return text_of("Fault(" + std::string(name_of(fault.kind)) + ": " + fault.message + ")");
      });
}

void add_outcome(nb::module_& module) {
  using bench::Outcome;
  nb::class_<Outcome>(module, "Outcome",
                      "What came of an expectation: true where it holds. Its repr is the text, "
                      "which `assert` of pytest shows.")
      .def_ro("holds", &Outcome::holds)
      .def_ro("skipped", &Outcome::skipped, "It was not looked at, and holds: the text says why.")
      .def_prop_ro("text", text_of(&Outcome::text), "What was found where, and what is allowed.")
      .def("__bool__", [](const Outcome& outcome) { return outcome.holds; })
      .def("__repr__", [](const Outcome& outcome) {
        return text_of(outcome.text.empty() ? "Outcome(it holds)" : outcome.text);
      });
}

}  // namespace

void add_launch(nb::module_& module) {
  using bench::Launch;
  using nb::arg;
  using Results = emulator::LaunchResult;
  add_memory_counts(module);
  add_fault(module);
  add_outcome(module);
  const auto result = [](auto member) {
    return [member](const Launch& launch) { return launch.result().*member; };
  };
  // An expectation of all lines, or of those that `line` and `file` name.
  const auto on_lines = [](auto expectation) {
    return [expectation](const Launch& launch, int line, std::string file) {
      return (launch.*expectation)(bench::Where{line, std::move(file)});
    };
  };
  nb::class_<Launch>(
      module, "Launch",
      R"(A launch that has ended: what it counted and found, and what may be expected of it.

An expectation fails, too, where it could not be missed: the named line, or the whole kernel, executed nothing of the
kind. On a GPU nothing is counted, and expectations of counts are skipped. `file` is the end of a path.)")
      .def_prop_ro("faults", result(&Results::faults), "Empty for a clean run.")
      .def_prop_ro(
          "printed", [](const Launch& launch) { return text_of(launch.result().printed); },
          "What the kernel's printf wrote; bytes that are no UTF-8 as \\xNN.")
      .def_prop_ro("blocks", result(&Results::blocks), "How many ran.")
      .def_prop_ro("totals", result(&Results::totals), "What was executed.")
      .def_prop_ro("memory", result(&Results::memory),
                   "Memory counts for each compute capability of the Testbench.")
      .def_prop_ro("lines", result(&Results::lines), "The same by source line.")
      .def("expect_no_faults", &Launch::expect_no_faults,
           "No fault: nothing out of bounds, no race …, as the Testbench had it checked.")
      .def(
          "expect_sectors_per_request",
          [](const Launch& launch, double at_most, int line, std::string file) {
            return launch.expect_sectors_per_request(at_most, {line, std::move(file)});
          },
          arg("at_most"), nb::kw_only(), arg("line") = 0, arg("file") = "",
          "Accesses to global memory ask for at most so many sectors of 32 bytes a request; 4 is "
          "the "
          "least for 32 lanes of 4 bytes each. `file` is the end of a path.")
      .def("expect_no_bank_conflicts", on_lines(&Launch::expect_no_bank_conflicts), nb::kw_only(),
           arg("line") = 0, arg("file") = "",
           "No access to shared memory takes more passes than its bytes need.")
      .def("expect_no_divergence", on_lines(&Launch::expect_no_divergence), nb::kw_only(),
           arg("line") = 0, arg("file") = "",
           "No branch sends the lanes of a warp to different places.")
      .def("expect_no_local_memory", on_lines(&Launch::expect_no_local_memory), nb::kw_only(),
           arg("line") = 0, arg("file") = "",
           "Nothing lies in local memory: no array that is indexed at run time.");
}

}  // namespace warpwise::python
