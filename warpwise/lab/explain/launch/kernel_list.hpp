#pragma once

// The kernels of a file that is explained without a launch, each with a launch to start from.

#include <string>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// A kernel, and options of `warpwise explain` that launch it.
struct ListedKernel {
  std::string name;                    ///< as --kernel takes it: "transpose<32>"
  std::vector<std::string> arguments;  ///< {"--kernel", "transpose<32>", "--grid", "16,16", ...}
  std::string note;  ///< sentences on buffers that are a little longer than the others, or on the
                     ///< fault that every launch had; may be empty
};

/// A kernel's parameter, as its source declares it.
struct DeclaredParameter {
  std::string type;  ///< "const float*"; an array is a pointer
  std::string name;
};

/// Returns a kernel's parameters in its source; none if it is not found there.
/// \param plain  the kernel's name as of plain_name()
std::vector<DeclaredParameter> declared_parameters(const std::string& source,
                                                   const std::string& plain);

/// Returns the types of a kernel's parameters in its source, without const and the like: "float*".
/// None if it is not found there, or if several declarations differ, as between #if and #else.
std::vector<std::string> declared_types(const std::string& source, const std::string& plain);

/// Returns "; a template becomes one by a line such as: …" if a source has a template; else
/// nothing.
std::string template_hint(const std::string& source);

/// Compiles a file and lists its kernels, or only `request.kernel` if it is not empty.
///
/// - A kernel that uses z has a cube of 64x64x64 threads, in blocks of 8x8x4 or, if only its blocks
/// have a z, of 16x16.
///   One that uses y has blocks of 16x16 threads and a grid of 16x16 blocks, any other has 256
///   blocks of 256 threads. The number of threads that a kernel is compiled for replaces that.
/// - A kernel of tiles, which reads no size of the block, has blocks of its shared array's extents.
///   A kernel with several sizes gets only the blocks whose threads have work.
/// - Buffers have an element for each thread. A single size is the number of threads along x;
///   several are smaller. Integers named as strides, radii or bits are 4; a mask
///   has all bits of the size less one.
/// - Types come from the kernel's mangled name, else from its source. Without a type, an address is
///   a buffer of floats. Constant floats and bytes are random, as are integers from
///   which addresses are computed; beginnings of rows are 0, 1, 2, …; other buffers are zeros.
/// - A texture has elements as the source fetches them.
/// - Each launch is tried. If it faults, smaller sizes, larger buffers, more shared memory and
///   smaller blocks are tried too, and the first launch without a fault is listed. If all fault,
///   the first is listed, and the note says so.
///
/// \throws InvalidArgument, CompileError, Unsupported, IoError  as compile_file(), and for a file
/// without kernels
std::vector<ListedKernel> listed_kernels(const ExplainRequest& request);

}  // namespace warpwise::lab
