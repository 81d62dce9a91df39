// A launch's counts and faults as plain Python objects.

#include "launch_counts.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <vector>

#include "results.hpp"
#include "warpwise/testbench/testbench.hpp"

namespace warpwise::python {
namespace {

namespace bench = testbench;

/// Decodes text from a kernel's printf or a file. Bytes that are not UTF-8 become \xNN.
nb::str text_of(std::string_view text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

/// Adds a text attribute that text_of() decodes.
template <auto Member, class Of, class... Extra>
void add_text(ResultClass<Of>& to, const char* name, const Extra&... extra) {
  to.property(
      name, [](const Of& of) { return text_of(of.*Member); },
      [](Of& of, nb::handle text) { of.*Member = nb::cast<std::string>(text); }, extra...);
}

void add_memory_counts(nb::module_& module) {
  using Execution = emulator::ExecutionCounts;
  using Traffic = emulator::TrafficCounts;
  using Passes = emulator::PassCounts;
  using Memory = emulator::MemoryCounts;
  ResultClass<Execution>(module, "ExecutionCounts",
                         "Counts of executed instructions, independent of the compute capability.")
      .member<&Execution::warp_instructions>("warp_instructions")
      .member<&Execution::thread_instructions>("thread_instructions")
      .member<&Execution::branches>("branches")
      .member<&Execution::divergent_branches>("divergent_branches")
      .member<&Execution::barriers>("barriers")
      .member<&Execution::float32_operations>("float32_operations")
      .member<&Execution::float64_operations>("float64_operations")
      .finish();
  ResultClass<Traffic>(
      module, "TrafficCounts",
      "Accesses to global or local memory; one request is one instruction of a warp.")
      .member<&Traffic::requests>("requests")
      .member<&Traffic::references>("references")
      .member<&Traffic::transactions_32>("transactions_32")
      .member<&Traffic::transactions_64>("transactions_64")
      .member<&Traffic::transactions_128>("transactions_128")
      .member<&Traffic::bytes_requested>("bytes_requested")
      .member<&Traffic::bytes_moved>("bytes_moved")
      .member<&Traffic::ideal_transactions>("ideal_transactions")
      .finish();
  ResultClass<Passes>(module, "PassCounts",
                      "Accesses to shared or constant memory, and their passes (wavefronts).")
      .member<&Passes::requests>("requests")
      .member<&Passes::passes>("passes")
      .member<&Passes::ideal_passes>("ideal_passes")
      .finish();
  ResultClass<Memory>(module, "MemoryCounts", "Memory counts for one compute capability.")
      .member<&Memory::global_load>("global_load")
      .member<&Memory::global_store>("global_store")
      .member<&Memory::global_atomic>("global_atomic")
      .member<&Memory::local_load>("local_load")
      .member<&Memory::local_store>("local_store")
      .member<&Memory::shared_load>("shared_load")
      .member<&Memory::shared_store>("shared_store")
      .member<&Memory::shared_atomic>("shared_atomic")
      .member<&Memory::constant>("constant")
      .member<&Memory::texture_requests>("texture_requests")
      .member<&Memory::texture_references>("texture_references")
      .finish();
  using Line = emulator::LineCounts;
  ResultClass<Line> line(module, "LineCounts", "The counts of one source line.");
  add_text<&Line::file>(line, "file");
  line.member<&Line::line>("line")
      .member<&Line::execution>("execution")
      .member<&Line::memory>("memory",
                             "Memory counts for each compute capability of the Testbench.")
      .finish();
}

nb::tuple tuple_of(const emulator::Dim3& at) { return nb::make_tuple(at.x, at.y, at.z); }

/// Adds an attribute that is a position in a block or in the grid, as a tuple.
template <auto Member, class Of>
void add_place(ResultClass<Of>& to, const char* name) {
  to.property(
      name, [](const Of& of) { return tuple_of(of.*Member); },
      [](Of& of, nb::handle at) {
        of.*Member = {nb::cast<std::uint32_t>(at[0]), nb::cast<std::uint32_t>(at[1]),
                      nb::cast<std::uint32_t>(at[2])};
      },
      nb::sig((std::string("def ") + name + "(self) -> tuple[int, int, int]").c_str()));
}

void add_fault(nb::module_& module) {
  using emulator::Fault;
  ResultClass<Fault> fault(
      module, "Fault",
      "The first of the faults of one kind on one line, and how many threads met it.");
  fault.property(
      "kind", [](const Fault& of) { return std::string(name_of(of.kind)); },
      [](Fault& of, nb::handle kind) {
        of.kind = value_named<emulator::FaultKind>(nb::cast<std::string>(kind)).value();
      },
      "\"out_of_bounds\", \"race\", …");
  add_text<&Fault::message>(fault, "message");
  add_text<&Fault::file>(fault, "file");
  fault.member<&Fault::line>("line", "0 if it is not known.").member<&Fault::count>("count");
  add_place<&Fault::thread>(fault, "thread");
  add_place<&Fault::block>(fault, "block");
  fault.finish([](const Fault& of) {
    return text_of("Fault(" + std::string(name_of(of.kind)) + ": " + of.message + ")");
  });
}

void add_outcome(nb::module_& module) {
  using bench::Outcome;
  ResultClass<Outcome> outcome(module, "Outcome",
                               "Result of an expectation: true if it holds. Its repr is the text, "
                               "which `assert` of pytest shows.");
  outcome.member<&Outcome::holds>("holds").member<&Outcome::skipped>(
      "skipped", "True if it was skipped; then it holds, and the text says why.");
  add_text<&Outcome::text>(outcome, "text",
                           "Text: the found value with its place, and the allowed value.");
  outcome
      .finish([](const Outcome& of) {
        return text_of(of.text.empty() ? "Outcome(it holds)" : of.text);
      })
      .def("__bool__", [](const Outcome& of) { return of.holds; });
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
  // Binds an expectation for all lines, or for the lines that `line` and `file` select.
  const auto on_lines = [](auto expectation) {
    return [expectation](const Launch& launch, int line, std::string file) {
      return (launch.*expectation)(bench::Where{line, std::move(file)});
    };
  };
  nb::class_<Launch>(
      module, "Launch",
      R"(A launch that has ended: its counts, its faults, and methods that check expectations.

An expectation also fails if the named line, or the whole kernel, executed no such access. On a GPU nothing is
counted, and expectations of counts are skipped. `file` is the end of a path.)")
      .def_prop_ro("faults", result(&Results::faults), "Faults; empty for a clean run.")
      .def_prop_ro(
          "printed", [](const Launch& launch) { return text_of(launch.result().printed); },
          "Output of the kernel's printf; bytes that are no UTF-8 appear as \\xNN.")
      .def_prop_ro("blocks", result(&Results::blocks), "How many ran.")
      .def_prop_ro("totals", result(&Results::totals), "What was executed.")
      .def_prop_ro("memory", result(&Results::memory),
                   "Memory counts for each compute capability of the Testbench.")
      .def_prop_ro("lines", result(&Results::lines), "Counts of each source line.")
      .def("expect_no_faults", &Launch::expect_no_faults,
           "Expects no fault: nothing out of bounds, no race …, by the checks of the Testbench.")
      .def(
          "expect_sectors_per_request",
          [](const Launch& launch, double at_most, int line, std::string file) {
            return launch.expect_sectors_per_request(at_most, {line, std::move(file)});
          },
          arg("at_most"), nb::kw_only(), arg("line") = 0, arg("file") = "",
          "Expects at most this many sectors of 32 bytes per request of global memory; 4 is the "
          "minimum for 32 lanes of 4 bytes each. `file` is the end of a path.")
      .def("expect_no_bank_conflicts", on_lines(&Launch::expect_no_bank_conflicts), nb::kw_only(),
           arg("line") = 0, arg("file") = "",
           "Expects no bank conflicts: no access to shared memory takes more passes than its bytes "
           "need.")
      .def("expect_no_divergence", on_lines(&Launch::expect_no_divergence), nb::kw_only(),
           arg("line") = 0, arg("file") = "",
           "Expects no divergence: no branch sends the lanes of a warp to different places.")
      .def("expect_no_local_memory", on_lines(&Launch::expect_no_local_memory), nb::kw_only(),
           arg("line") = 0, arg("file") = "",
           "Expects no local memory, such as an array that is indexed at run time.");
}

}  // namespace warpwise::python
