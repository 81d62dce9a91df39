#include "warpwise/lab/report/words/words.hpp"

#include <iterator>
#include <utility>

#include "warpwise/lab/report/words/korean.hpp"

namespace warpwise::lab::report {
namespace {

constexpr Words english = {
    .language = "en",
    .title = "The gain of each rung",
    .contents = "Contents",

    .intro =
        "{} ladders with {} rungs and {} studies, measured on {}. A ladder optimises one task in "
        "rungs. Each rung is a CUDA kernel that changes one idea of the rung before. The last "
        "rung, shipped, is the library's own kernel. A study varies one thing and times it. The "
        "roof is the time of the GPU's own copy of the same bytes, unless a ladder names another. "
        "Every number below is computed from the records that the end of this page names.",
    .found = "Findings",
    .front_times = "over its first rung: {} takes {}, {} takes {}, at {}.",
    .front_roof = "The last rung reaches {} of the roof at {}.",
    .front_roofs = "The last rung reaches {} of the roof at {}, {} at {}.",
    .roof_of_reads = "Its roof is not the GPU's copy, but the fastest reading of the same bytes.",
    .roof_of_differences =
        "Its roof is not the GPU's copy, but the rate at which __vsadu4 computes absolute "
        "differences of bytes, four per instruction. Differences that a kernel saves, or that "
        "other units compute, count too, so a share may exceed 100 %.",
    .front_step = "The largest gain is that of {}, {}: {}.",
    .front_document_same =
        "The document's best rung, {} ({} there), is still the best of its rungs: {} now.",
    .front_document_other =
        "The document's best rung, {} ({} there), is {} now. The best of its rungs is now {}, with "
        "{}.",
    .front_document_alone = "The document's rung {}: {} there, {} now.",
    .counted_only =
        "No whole ladder was timed: these records hold only counts, studies or parts of ladders.",
    .no_longer = "Rungs and blocks that are no longer the best",
    .no_longer_rung =
        "{}: {} was the best rung ({} over the first, {} now); now it is {} ({} then, {} now).",
    .no_longer_block =
        "{}, {}: the document's block {} is no longer the best; {} gains {} over it.",
    .all_hold =
        "None: the best rungs and blocks of the documents are still the best in these records.",
    .front_peers = "Beside other libraries",
    .peers_summary = "{}: faster in {} of {} comparisons; {} to {} times as fast.",

    .ladder_heading = "The ladder of {}",
    .study_heading = "The study {}",
    .rows_shown = "Rows of the source documents:",
    .staircase = "Speed-up over the first rung",
    .then_bar = "the document, on {} (before the arrow)",
    .now_bar = "now, on {}",
    .then_and_now = "{} → {}",
    .share_chart = "Share of the roof, %",
    .branch = "{} to {}",
    .step_from = "step from",
    .rungs_table = "Every rung of {}, at each size",
    .rung = "rung",
    .what_is_new = "new idea",
    .time = "cold time, µs",
    .fifth = "5th percentile, µs",
    .ninety_fifth = "95th percentile, µs",
    .of_roof = "share of the roof",
    .over_before = "speed-up over the rung before",
    .over_first = "speed-up over the first rung",
    .document_time = "document, µs",
    .document_over_first = "document, over its first rung",
    .not_run = "not run: {}",
    .beside_document = "Compared with the document, on {}",
    .kernel = "kernel",
    .at = "at",
    .knees = "The knee of each curve over {}: the end of its flat part",
    .knee_at = "the knee",
    .level = "level before, µs",
    .slope = "slope after, µs per unit",
    .no_knee = "none: {}",
    .halved = "Loss of speed with half of a resource",
    .bound_by = "bound by",
    .cpu_rows = "The same on a CPU",
    .implementation = "by",
    .size = "size",
    .interrupted = "Interrupted: the measurement is incomplete.",
    .from_file = "From {}: {}, {}.",
    .nothing_drawn = "It cannot be drawn: {}.",

    .plot_dots = "A dot for each kernel: {2}, from {3} to {4}.",
    .plot_lines = "Lines over {0}: {2}, from {3} to {4}.",
    .plot_maps = "A map of cells over {0} and {1}: {2}, from {3} to {4}.",
    .document_dot = "time for the document's speed-up",
    .best_cell = "The best is {}, at {}.",
    .map_scale = "Pale to strong: {}, from {} to {}.",
    .as_table = "Table of {} rows, and files to save",
    .save = "Save as {}",

    .roofline = "Every rung under the roof",
    .roofline_about =
        "Each point is a rung of a ladder on {}, at its largest timed size. Hover over a point, or "
        "press the Tab key, to see its name. Points further right do more work for the same bytes. "
        "No point can lie far above the lines. The emulator counts PTX instructions, which ptxas "
        "translates into other ones, so the slanted line is approximate.",
    .roofline_x = "warp instructions per 1000 bytes that must be moved",
    .roofline_y = "GB/s of these bytes",
    .roofline_none = "No record has both times and counts of a ladder.",
    .copy_roof = "Level line: {} GB/s, the rate of the GPU's own copy.",
    .read_roof = "Dashed line: {} GB/s, the rate of reading alone.",
    .issue_roof =
        "Slanted line: {} billion warp instructions per second, four per multiprocessor and clock "
        "cycle.",
    .roofline_point = "{}: {} GB/s, {} of its roof, {}",
    .per_kilobyte = "warp instructions per 1000 bytes",
    .ladder = "ladder",

    .predictions = "Predicted and measured times",
    .predictions_about =
        "lab predict's time for every recorded time. The prediction needs no GPU: one model for "
        "all kernels uses the emulator's counts and a profile of the GPU. On the line, predicted "
        "and measured times are equal. On the dashed lines, the prediction is twice or half the "
        "measured time.",
    .predictions_documents = "The documents' times, on their own GPUs",
    .predictions_x = "measured, µs",
    .predictions_y = "predicted, µs",
    .predictions_picture = "{}: predicted over measured times of {} points",
    .predictions_series = "{}: {} points, rank correlation {:.2f}, median error {}",
    .predictions_series_short = "{}: {} points, median error {}",
    .predictions_point = "{}, {}: {} predicted, {} measured, ratio {:.2f}",
    .predictions_far = "Misses by more than a factor of two: {}.",
    .predictions_near = "No prediction is off by more than a factor of two.",
    .predictions_miss = "{} {:.2f} (bottleneck: {})",
    .predictions_front =
        "The emulator's counts predict the time of a kernel without a GPU. Over all {} recorded "
        "times, the rank correlation is {:.2f} (1: the same order), and the median error is {}. "
        "All predictions, and the misses:",
    .predictions_experiments = "Accuracy of the predictions of each experiment",
    .predictions_from =
        "From {}, made at commit {}. The number after a miss is the worst ratio of predicted to "
        "measured time. docs/prediction.md explains the model and the known misses.",
    .whole_study = "whole study",
    .experiment = "experiment",
    .points = "points",
    .rank_correlation = "rank correlation",
    .median_error = "median error",
    .least_ratio_of_time = "lowest predicted : measured",
    .median_ratio_of_time = "median",
    .greatest_ratio_of_time = "greatest",
    .predicted_time = "predicted, µs",
    .measured_time = "measured, µs",
    .ratio_of_time = "predicted : measured",
    .bottleneck = "bottleneck",
    .profile = "profile",

    .peers = "Beside other libraries",
    .peers_about =
        "The library's kernels beside other libraries that do the same work, on the same operands "
        "in the same run. Above 1, this library is faster.",
    .primitive = "primitive",
    .variant = "variant",
    .times_as_fast = "times as fast",
    .counters = "Emulator counts and hardware counters",
    .counters_about =
        "The emulator's counts beside the GPU's own counters for the same launch. Instructions "
        "differ, because ptxas translates PTX into other instructions. Requests, sectors and "
        "passes should be equal.",
    .count = "count",
    .comparisons = "kernels compared",
    .equal = "equal",
    .least_ratio = "lowest GPU : emulator",
    .greatest_ratio = "highest GPU : emulator",
    .ladder_or_study = "ladder or study",

    .sources = "Sources of the kernels",
    .sources_about =
        "The installed sources. The margin shows each line's share of a rung's warp instructions. "
        "The memory transactions or passes of a warp's request stand below the line. These are the "
        "emulator's counts, exact for the named compiler.",
    .source_file = "{}: {}",
    .counts_about = "Counted at {}, for compute capability {}, compiled by {}, at commit {}.",
    .counts_of_another = "Counts exist only for another version of this file.",
    .counts_elsewhere = "Executed lines of {}:",
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
    .method_of = "Method of measuring {}",
    .files = "{} (and {} others)",
    .page_about = "Made by warpwise lab report. This page needs no network and no other file.",
};

// These texts are the same as in docs/sources.md; a test compares them.
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

}  // namespace warpwise::lab::report
