#pragma once

#include <array>
#include <string_view>
#include <utility>

// Texts of explain's page. They are only in English, like explain's advice.
namespace warpwise::lab::report {

/// Texts of the page. Names in braces in a comment are the values of the text's {}, in this order.
struct KernelWords {
  const char* kernel_title;    ///< {kernel, rung or primitive}
  const char* call_about;      ///< {size}, {operands}
  const char* kernel_heading;  ///< {kernel}
  const char* kernel_about;    ///< {grid}, {block}, {compiler}
  const char* kernel_page_about;
  const char* advice;
  const char* gain_about;
  const char* rule;  ///< {rule}
  const char* before;
  const char* after;
  const char* seen_in;    ///< {command}
  const char* placement;  ///< {kind of kernel}
  const char* faults;
  const char* fault;         ///< {kind}, {line}, {message}, {number of faults}
  const char* bounds;        ///< {GPU}
  const char* bounds_about;  ///< {time}, {least}, {most}, {bottleneck}, {time of a launch alone}
  const char* bounds_axis;
  const char* measured_beside;  ///< {GPU}, {time}, {its ratio to the modelled time}
  const char* counts;
  const char* counts_exact;
  const char* counts_of;  ///< {scope of the counts}
  const char* fidelity;
  const char* fidelity_exact;
  const char* fidelity_races;
  const char* fidelity_use;  ///< {inexact behaviour}, {how far it spread}, {source lines}
  const char* no_kernels;
  const char* occupancy;   ///< {CC}, {share}, {blocks}, {warps}, {limiter}, {registers}
  const char* cannot_run;  ///< {CC}, {reason}
  const char* registers;   ///< {registers per thread}, {machine code that has them}
  const char* execution;   ///< {warp instructions}, {branches}, {divergent ones}, {barriers}
  const char* accesses_table;
  const char* classes_table;
  const char* requests;
  const char* made;
  const char* ideal;
  const char* warp_instructions;
  const char* share;
  const char* all_instructions;
  const char* emulator;
  const char* measured_on;  ///< {GPU}, {time}
  const char* source;
  const char* source_about;
  const char* printed;
  const char* program_about;  ///< {time}, {GPU}
  const char* look_first;
  const char* first_about;   ///< {total time}, {launches}, {mean time}
  const char* first_of_one;  ///< {time of the only launch}
  const char* timeline;
  const char* timeline_on;  ///< {GPU}
  const char* timeline_about;
  const char* bar;   ///< {event}, {its start}, {its time}
  const char* mark;  ///< {event}
  const char* not_known;
  const char* event;
  const char* event_start;
  const char* event_time;
  const char* event_times;
  const char* event_bytes;
  const char* more_events;  ///< {number}
  std::array<std::pair<std::string_view, const char*>, 5> transfers;
};

inline constexpr KernelWords kernel_words = {
    .kernel_title = "Costs of {}",
    .call_about = "At {}: {}.",
    .kernel_heading = "The kernel {}",
    .kernel_about = "Grid {}, block {}; compiled by {}.",
    .kernel_page_about =
        "Made by warpwise explain, which ran the kernel without a GPU. This page needs no network "
        "and no other file. Warpwise's documents explain the rules.",
    .advice = "Advice",
    .gain_about = "times as fast with this change (modelled)",
    .rule = "Rule: {}.",
    .before = "In another kernel, before",
    .after = "after",
    .seen_in = "Seen in: {}",
    .placement = "Summary: {}.",
    .faults = "Faults",
    .fault = "{} at line {}: {} ({} in all)",
    .bounds = "Time on {}, modelled",
    .bounds_about =
        "{}, likely between {} and {}. The bottleneck is {}; a launch alone takes {}. This is the "
        "launch as it ran; the gains above are for a grid that fills the GPU. The chart shows the "
        "time of each part alone.",
    .bounds_axis = "µs",
    .measured_beside = "Measured on {} with a cold cache: {}, {:.2f} times the modelled time.",
    .counts = "Counts",
    .counts_exact = "Counts of the emulator, exact for this launch and this compiler.",
    .counts_of = "Counts of the emulator, for this compiler: {}.",
    .fidelity = "Fidelity",
    .fidelity_exact = "All that ran is exact if no threads race.",
    .fidelity_races = "Exact except for races: a GPU's order may give another result.",
    .fidelity_use = "not exact: {} ({}) at {}",
    .no_kernels = "The program launched no kernel.",
    .occupancy =
        "CC {}: occupancy {}, {} blocks and {} warps on a multiprocessor; limited by {}; {}",
    .cannot_run = "CC {}: cannot run: {}",
    .registers = "{} registers a thread ({})",
    .execution = "{} warp instructions; {} branches, {} of them divergent; {} barriers.",
    .accesses_table = "Memory accesses: transactions or passes, and the minimum for the same bytes",
    .classes_table = "Warp instructions by class",
    .requests = "requests of a warp",
    .made = "made",
    .ideal = "ideal",
    .warp_instructions = "warp instructions",
    .share = "share",
    .all_instructions = "all",
    .emulator = "emulator",
    .measured_on = "Measured on {}: {} with a cold cache.",
    .source = "Source",
    .source_about =
        "The margin shows each line's share of the warp instructions. The memory transactions or "
        "passes of a warp's request stand below the line.",
    .printed = "Printed by the kernel",
    .program_about =
        "The program's kernels, and its copies and fills within the GPU's memory, take {} on {} if "
        "each waits for the one before it. All times are modelled.",
    .look_first = "Look first at",
    .first_about = "of this time: {} in {} launches, {} each in the mean",
    .first_of_one = "of this time: {} in one launch",
    .timeline = "Launches and copies in the order of the calls",
    .timeline_on = "Timeline on {}, modelled",
    .timeline_about =
        "Each bar begins where the event before it ends: streams that overlap are not modelled. A "
        "hollow mark has no known time, and takes none here: no profile has the bandwidth of the "
        "bus between host and GPU.",
    .bar = "{}: from {}, {} long",
    .mark = "{}: time not known",
    .not_known = "not known",
    .event = "event",
    .event_start = "start",
    .event_time = "time of each",
    .event_times = "times",
    .event_bytes = "bytes",
    .more_events = "The table leaves out {} later events: --explain FILE.json has them.",
    .transfers = {{{"to_gpu", "copies to the GPU"},
                   {"from_gpu", "copies from the GPU"},
                   {"within_gpu", "copies within the GPU"},
                   {"of_host", "copies of the host's memory"},
                   {"fill", "fills of the GPU's memory"}}},
};

}  // namespace warpwise::lab::report
