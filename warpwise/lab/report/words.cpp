#include "warpwise/lab/report/words.hpp"

#include <iterator>
#include <utility>

#include "warpwise/lab/report/korean.hpp"

namespace warpwise::lab::report {
namespace {

constexpr Words english = {
    .language = "en",
    .title = "What each optimisation step gained",
    .contents = "Contents",

    .intro =
        "{} ladders with {} steps and {} studies, measured on {}. A ladder solves one task in "
        "steps, each a CUDA kernel that changes one idea of the one before; the last, shipped, is "
        "what the library itself runs. A study varies one thing and times it. The roof is what the "
        "GPU's own copy of the same bytes takes. Every number below is computed from the records "
        "that the end of this page names.",
    .found = "What was found",
    .front_times = "over its first step: {} takes {}, {} takes {}, at {}.",
    .front_roof = "The last reaches {} of the roof at {}.",
    .front_roofs = "The last reaches {} of the roof at {}, {} at {}.",
    .front_step = "The largest step is {}, {}: {}.",
    .front_document_same =
        "The document's best step, {} ({} there), is still the best of its steps: {} now.",
    .front_document_other =
        "The document's best step, {} ({} there), is {} now, and is no longer "
        "the best of its steps: {} is, with {}.",
    .front_document_alone = "The document's {} is {} there, {} now.",
    .counted_only = "No ladder was timed: these records hold counts, or studies alone.",
    .no_longer = "Where the documents' best is no longer best",
    .no_longer_rung =
        "{}: {} was the best step ({} over the first, {} now); now it is {} ({} then, "
        "{} now).",
    .no_longer_block =
        "{}, {}: the document's block {} is no longer the best; {} gains {} over it.",
    .all_hold = "Nowhere: what was best in the documents is best in these records.",
    .front_peers = "Beside other libraries",
    .peers_summary = "{}: faster than the other in {} of {} comparisons; {} to {} times as fast.",

    .ladder_heading = "The ladder of {}",
    .study_heading = "The study {}",
    .rows_shown = "Rows of the source documents:",
    .staircase = "Times as fast as the first step",
    .then_bar = "the document, on {}: before the arrow",
    .now_bar = "now, on {}",
    .then_and_now = "{} → {}",
    .share_chart = "Share of the roof, %",
    .rungs_table = "Every step of {}, with each size",
    .rung = "step",
    .what_is_new = "what is new",
    .time = "cold time, µs",
    .fifth = "5 % below, µs",
    .ninety_fifth = "95 % below, µs",
    .of_roof = "of the roof",
    .over_before = "over the step before",
    .over_first = "over the first",
    .document_time = "document, µs",
    .document_over_first = "document, over its first",
    .not_run = "not run: {}",
    .beside_document = "Beside the document, on {}",
    .kernel = "kernel",
    .at = "at",
    .knees = "Where each curve over {} stops being flat",
    .knee_at = "the knee",
    .level = "level before, µs",
    .slope = "slope behind, µs for each 1",
    .no_knee = "none: {}",
    .halved = "What a kernel loses with half of a resource",
    .hangs_on = "hangs on",
    .cpu_rows = "The same on a CPU",
    .implementation = "by",
    .size = "size",
    .interrupted = "Interrupted: not all of it was measured.",
    .from_file = "From {}: {}, {}.",
    .nothing_drawn = "Nothing can be drawn of it: {}.",

    .plot_dots = "A dot for each kernel: {2}, from {3} to {4}.",
    .plot_lines = "Lines over {0}: {2}, from {3} to {4}.",
    .plot_maps = "A map of cells over {0} and {1}: {2}, from {3} to {4}.",
    .document_dot = "where the document's speed-up would be",
    .best_cell = "The best is {}, at {}.",
    .map_scale = "Pale to strong: {}, from {} to {}.",
    .as_table = "As a table of {} rows, and to save",
    .save = "Save as {}",

    .roofline = "Every step under the roof",
    .roofline_about =
        "Each point is a step of a ladder on {}, at the largest size it was timed "
        "at. Point at one, or step through them with the tabulator key, to see its "
        "name. Further to the right is more work for the same bytes; nothing can be "
        "far above the lines. Work is counted by the emulator in instructions of "
        "PTX, and ptxas makes other ones of them, so the slanted line is "
        "approximate.",
    .roofline_x = "warp instructions for 1000 bytes that have to be moved",
    .roofline_y = "GB/s of these bytes",
    .roofline_none = "No record holds both times and counts of a ladder.",
    .copy_roof = "Level line: {} GB/s, what the GPU's own copy reaches.",
    .read_roof = "Dashed line: {} GB/s, what reading alone reaches.",
    .issue_roof =
        "Slanted line: {} billion warp instructions a second, four for each "
        "multiprocessor and clock.",
    .roofline_point = "{}: {} GB/s, {} of its roof, {}",
    .per_kilobyte = "warp instructions for 1000 bytes",
    .ladder = "ladder",

    .predictions = "Predicted against measured",
    .predictions_about =
        "What lab predict says of every recorded time, without a GPU: from what the emulator "
        "counts "
        "and from a profile of the GPU, by one model for all kernels. Predicted times are "
        "modelled, "
        "the others measured. On the line both are equal; on the dashed lines a prediction is "
        "twice "
        "too long, or half as long.",
    .predictions_documents = "The documents' times, on their own GPUs",
    .predictions_x = "measured, µs",
    .predictions_y = "predicted, µs",
    .predictions_picture = "{}: predicted over measured times of {} points",
    .predictions_series = "{}: {} points, rank correlation {:.2f}, median error {}",
    .predictions_series_short = "{}: {} points, median error {}",
    .predictions_point = "{}, {}: {} predicted, {} measured, ratio {:.2f}",
    .predictions_far = "Misses by more than a factor of two: {}.",
    .predictions_near = "None is off by more than a factor of two.",
    .predictions_miss = "{} {:.2f} ({} rules)",
    .predictions_front =
        "How long a kernel takes can be said without a GPU, from what the emulator counts. Of all "
        "{} "
        "recorded times the predictions' rank correlation is {:.2f} (1: the same order), their "
        "median "
        "error {}. Each of them, and which are far off:",
    .predictions_experiments = "How well each experiment was predicted",
    .predictions_from =
        "From {}, made at commit {}. A figure behind a miss is the worst ratio of predicted to "
        "measured. "
        "docs/prediction.md has the model, and what is known of the misses.",
    .whole_study = "all of it",
    .experiment = "experiment",
    .points = "points",
    .rank_correlation = "rank correlation",
    .median_error = "median error",
    .least_ratio_of_time = "least predicted : measured",
    .median_ratio_of_time = "median",
    .greatest_ratio_of_time = "greatest",
    .predicted_time = "predicted, µs",
    .measured_time = "measured, µs",
    .ratio_of_time = "predicted : measured",
    .rules = "rules",
    .profile = "profile",

    .peers = "Beside other libraries",
    .peers_about =
        "What the library ships beside others that do the same work, on the same "
        "operands in the same run. Above 1, the library is the faster one.",
    .primitive = "primitive",
    .variant = "what",
    .times_as_fast = "times as fast",
    .counters = "Counts beside hardware counters",
    .counters_about =
        "What the emulator counts of a kernel, beside what the GPU's own counters "
        "say of the same launch. Instructions differ, because ptxas makes other "
        "instructions of PTX; requests, sectors and passes ought to be equal.",
    .count = "count",
    .comparisons = "kernels compared",
    .equal = "equal",
    .least_ratio = "least GPU : emulator",
    .greatest_ratio = "greatest GPU : emulator",
    .ladder_or_study = "ladder or study",

    .sources = "Sources of the kernels",
    .sources_about =
        "As they are installed here. In the margin is the share of a step's warp instructions that "
        "a "
        "line takes, and below it what each request of a warp makes of its accesses to memory: "
        "counts "
        "of the emulator, which are exact for the compiler that they name.",
    .source_file = "{}: {}",
    .counts_about = "Counted at {}, for compute capability {}, compiled by {}, at commit {}.",
    .counts_of_another = "Counts are known of another version of this file alone.",
    .counts_elsewhere = "Lines of {} that it runs:",
    .divergent = "{:.0f} of {:.0f} branches divergent",
    .accesses = {{{"global_load", "global read {} transactions, ideal {}"},
                  {"global_store", "global write {} transactions, ideal {}"},
                  {"global_atomic", "global atomic {} transactions, ideal {}"},
                  {"local_load", "local read {} transactions, ideal {}"},
                  {"local_store", "local write {} transactions, ideal {}"},
                  {"shared_load", "shared read {} passes, ideal {}"},
                  {"shared_store", "shared write {} passes, ideal {}"},
                  {"shared_atomic", "shared atomic {} passes, ideal {}"},
                  {"constant", "constant {} passes, ideal {}"},
                  {"texture", "texture {:.0f} requests"}}},
    .constants = "Compiled with",
    .method = "Machine, commit and method",
    .records = "The records",
    .file = "file",
    .method_of = "How {} was measured",
    .files = "{} (and {} others)",
    .page_about = "Made by warpwise lab report. This page needs no network and no other file.",
};

// The same texts as in docs/sources.md; a test compares the two.
constexpr std::pair<std::string_view, std::string_view> document_row_texts[] = {
    {"A1", "bank conflicts of shared memory: sixteen to a half-warp, none, and the read left out"},
    {"A2", "transactions of global memory: a half-warp served by one, and by sixteen"},
    {"A3",
     "registers or local memory: a cap on registers and its spills, with shared memory and "
     "textures as remedies"},
    {"A4", "occupancy: its formula, its limits by threads, blocks, registers and shared memory"},
    {"A5",
     "latency hiding: a kernel's time against the number of arithmetic instructions for 1 to n "
     "global accesses"},
    {"A6", "latency hiding ends at a barrier, so that global memory alone can beat shared memory"},
    {"A7",
     "Sobel: the kernel on global memory and four methods to fill a tile of shared memory, with "
     "branches and times"},
    {"A8",
     "Sobel's ladder: shared, global and texture memory, each with constant memory, fewer "
     "conditions, compile-time constants and unrolled loops"},
    {"A9", "the live program: rendered image, edge detection in CUDA, display"},
    {"A10",
     "matrix times vector: a thread for each row, then a block for each row with a tree of "
     "partial sums"},
    {"A11", "the guide: three kinds of kernels, and which memory suits each"},
    {"B1",
     "copying integers by scalars, pairs and fours: bandwidth against size; alignment, structs, "
     "the tail"},
    {"B2", "the evidence in the machine code: loads and stores of 32, 64 and 128 bits"},
    {"B3", "the cost: more registers and less parallelism; when scalars stay right"},
    {"C1", "a pixel against the mean of the window around it, less an offset"},
    {"C2", "the block keeps its tile and halo in shared memory; every parameter is free"},
    {"D1", "three-byte pixels to four bytes: four ways to share loads and stores among threads"},
    {"D2", "thread efficiency of each way: useful operations over executed ones"},
    {"D3", "block shapes swept for each way, and the times at the best"},
    {"D4", "the balance of arithmetic and memory, found by changing the clocks of each"},
    {"D5", "frames that come live from a camera, and the rate that is reached"},
    {"E1",
     "from a thread for each block of pixels to a thread for each candidate, caches, shared "
     "memory, unrolled loops"},
    {"E2", "the time of kernels against that of transfers"},
    {"E3", "SAD, SSD and NCC; motion field, disparity map, tracked object"},
};

Language spoken = Language::english;

}  // namespace

void speak(Language language) { spoken = language; }

const Words& words() { return spoken == Language::korean ? korean : english; }

std::string told(const std::string& text) {
  return spoken == Language::korean ? std::string(korean_of(text)) : text;
}

std::string_view about_row(std::string_view row) {
  for (const auto& [name, about] : document_row_texts) {
    if (name == row) return about;
  }
  return {};
}

std::vector<std::string_view> known_rows() {
  std::vector<std::string_view> rows;
  for (const auto& each : document_row_texts) rows.push_back(each.first);
  return rows;
}

}  // namespace warpwise::lab::report
