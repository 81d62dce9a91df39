#pragma once

// CUDA's opaque types, declared here so that a program that includes Warpwise needs no CUDA
// toolkit. `cudaStream_t` needs no conversion to StreamHandle: it is the same type.
struct CUstream_st;
struct CUevent_st;
struct CUgraphExec_st;
struct CUmod_st;
struct CUfunc_st;
struct cudaGraphicsResource;

namespace warpwise::gpu {

using StreamHandle = CUstream_st*;             ///< cudaStream_t
using EventHandle = CUevent_st*;               ///< cudaEvent_t
using GraphExecHandle = CUgraphExec_st*;       ///< cudaGraphExec_t
using ModuleHandle = CUmod_st*;                ///< CUmodule
using FunctionHandle = CUfunc_st*;             ///< CUfunction
using GraphicsHandle = cudaGraphicsResource*;  ///< cudaGraphicsResource_t

}  // namespace warpwise::gpu
