#pragma once

// Lists a file's kernels and suggests a launch for each, if `explain` gets no launch.

#include <string>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// A kernel, and options of `warpwise explain` that launch it.
struct ListedKernel {
  std::string name;                    ///< name for --kernel: "transpose<32>"
  std::vector<std::string> arguments;  ///< {"--kernel", "transpose<32>", "--grid", "16,16", ...}
  std::string note;  ///< sentences on buffers that are a little longer than the others, or on the
                     ///< fault that every launch had; may be empty
};

/// A kernel's parameter, as its source declares it.
struct DeclaredParameter {
  std::string type;  ///< "const float*"; an array is a pointer
  std::string name;
};

/// Returns a kernel's parameters in its source; none if the kernel is not found there.
/// \param plain  the kernel's name as plain_name() returns it
std::vector<DeclaredParameter> declared_parameters(const std::string& source,
                                                   const std::string& plain);

/// Returns the types of a kernel's parameters in its source, without const and the like: "float*".
/// Returns none if the kernel is missing or its declarations differ, as between #if and #else.
std::vector<std::string> declared_types(const std::string& source, const std::string& plain);

/// Returns "; a template needs an instantiation such as: …" if a source has a template; else
/// nothing.
std::string template_hint(const std::string& source);

/// Compiles a file and lists its kernels, or only `request.kernel` if it is not empty.
///
/// - A kernel that uses z has a cube of 64x64x64 threads. Its blocks are 8x8x4, or 16x16 if the
///   kernel uses only blockIdx.z. A kernel that uses y has 16x16 blocks of 16x16 threads. Any other
///   kernel has 256 blocks of 256 threads. A kernel with a required block size has 256 blocks.
/// - A kernel that works on tiles, and does not read blockDim, has blocks with the extents of its
///   shared array. A one-dimensional grid has only the blocks whose threads have work.
/// - Buffers have an element for each thread. An integer that seems to be a size is the number of
///   threads along x; several sizes are smaller. Integers whose names suggest strides, radii or
///   bits are 4. A mask is a size less one.
/// - Types come from the kernel's mangled name, else from its source. Without a type, an address is
///   a buffer of floats. Buffers of const floats and bytes are random, as are integers from which
///   addresses are computed. Beginnings of rows are 0, 1, 2, …; other buffers are zeros.
/// - A texture's elements have the type that the source fetches.
/// - Each launch is tried. If it faults, smaller sizes, larger buffers, more shared memory and
///   smaller blocks are tried too, and the first launch without a fault is listed. If all fault,
///   the first is listed, and the note says so. A kernel that waits for its whole grid needs a
///   cooperative launch, and the note says so.
///
/// \throws InvalidArgument, CompileError, Unsupported, IoError  as compile_file(), and for a file
/// without kernels
std::vector<ListedKernel> listed_kernels(const ExplainRequest& request);

}  // namespace warpwise::lab
