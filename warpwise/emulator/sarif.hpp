#pragma once

// Internal: the frame of SARIF files, for the report of a process or of `warpwise run`.

namespace warpwise::emulator {

/// A SARIF 2.1.0 file with one run of Warpwise, as JSON. Users of the frame add `invocations` and
/// `results` to the run, and `rules` to the driver.
inline constexpr const char* sarif_frame =
    R"({"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "Warpwise", "version": ")" WARPWISE_VERSION
    R"("}}}]})";

}  // namespace warpwise::emulator
