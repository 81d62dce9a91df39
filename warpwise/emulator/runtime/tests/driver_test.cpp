// Tests the driver's functions on the emulated GPU, in a program linked with libcuda.so.1.

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

// Computes out[i] = in[i] * factor + offset, with a thread for each i.
const std::string scale = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 offset = 5;
.visible .entry scale(.param .u64 out, .param .u64 in, .param .u32 factor)
{
  .reg .b32 %r<9>; .reg .b64 %d<7>;
  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r1, [factor];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %d3, %r5, 4;
  add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
  ld.global.u32 %r6, [%d5];
  ld.global.u32 %r7, [offset];
  mad.lo.u32 %r8, %r6, %r1, %r7;
  st.global.u32 [%d4], %r8;
  ret;
}
)";

class Driver : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&context_, nullptr, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleLoadData(&module_, scale.c_str()), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&function_, module_, "scale"), CUDA_SUCCESS);
  }
  void TearDown() override {
    for (const CUdeviceptr copy : copies_) EXPECT_EQ(cuMemFree(copy), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module_), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxDestroy(context_), CUDA_SUCCESS);
  }
  CUdeviceptr device_copy(const std::vector<unsigned>& values) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc(&address, 4 * values.size()), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoD(address, values.data(), 4 * values.size()), CUDA_SUCCESS);
    copies_.push_back(address);
    return address;
  }
  static std::vector<unsigned> host_copy(CUdeviceptr address, std::size_t count) {
    std::vector<unsigned> values(count);
    EXPECT_EQ(cuMemcpyDtoH(values.data(), address, 4 * count), CUDA_SUCCESS);
    return values;
  }

  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  std::vector<CUdeviceptr> copies_;
};

TEST_F(Driver, ArgumentsComeOneByOneOrAsABlock) {
  CUdeviceptr in = device_copy({1, 2, 3, 4});
  CUdeviceptr out = device_copy({0, 0, 0, 0});
  unsigned factor = 10;
  std::array<void*, 3> arguments = {&out, &in, &factor};
  ASSERT_EQ(cuLaunchKernel(function_, 2, 1, 1, 2, 1, 1, 0, nullptr, arguments.data(), nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(host_copy(out, 4), (std::vector<unsigned>{15, 25, 35, 45}));

  struct {
    CUdeviceptr out, in;
    unsigned factor;
  } block{out, in, 100};
  std::size_t bytes = 20;
  std::array<void*, 5> extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE,
                                &bytes, CU_LAUNCH_PARAM_END};
  ASSERT_EQ(cuLaunchKernel(function_, 4, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra.data()),
            CUDA_SUCCESS);
  EXPECT_EQ(host_copy(out, 4), (std::vector<unsigned>{105, 205, 305, 405}));
  bytes = 16;
  EXPECT_EQ(cuLaunchKernel(function_, 4, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra.data()),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(function_, 1, 1, 1, 2000, 1, 1, 0, nullptr, arguments.data(), nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, VariablesOfAModuleAreRead) {
  CUdeviceptr offset = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cuModuleGetGlobal(&offset, &bytes, module_, "offset"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4U);
  EXPECT_EQ(host_copy(offset, 1)[0], 5U);
  EXPECT_EQ(cuModuleGetGlobal(&offset, &bytes, module_, "nothing"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Driver, AModulesVariablesEndWithIt) {
  const std::string ptx =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .global .align 4 .b8 large[16777216];\n.visible .entry none() { ret; }\n";
  std::size_t before = 0;
  std::size_t loaded = 0;
  std::size_t behind = 0;
  std::size_t all = 0;
  ASSERT_EQ(cuMemGetInfo(&before, &all), CUDA_SUCCESS);
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cuModuleGetGlobal(&address, &bytes, module, "large"), CUDA_SUCCESS);
  ASSERT_EQ(cuMemGetInfo(&loaded, &all), CUDA_SUCCESS);
  EXPECT_EQ(before - loaded, 16777216U);
  ASSERT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  ASSERT_EQ(cuMemGetInfo(&behind, &all), CUDA_SUCCESS);
  EXPECT_EQ(behind, before);
  EXPECT_NE(cuMemsetD8(address, 0, 4), CUDA_SUCCESS);
}

TEST_F(Driver, WhatCannotBeLoadedIsToldApart) {
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, "\177ELF machine code"), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuModuleLoadData(&module, "no PTX"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(cuModuleLoad(&module, "no such file"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleLoad(&module, testing::TempDir().c_str()), CUDA_ERROR_INVALID_VALUE)
      << "a folder";
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module_, "nothing"), CUDA_ERROR_NOT_FOUND);

  std::array<char, 200> log{};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  EXPECT_EQ(cuModuleLoadDataEx(&module, "no PTX", 2, options.data(), values.data()),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(log[0], 0);
}

TEST_F(Driver, ModulesAreLoadedFromFiles) {
  const std::string path = testing::TempDir() + "scale.ptx";
  std::ofstream(path) << scale;
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_SUCCESS);
  unsigned count = 0;
  EXPECT_EQ(cuModuleGetFunctionCount(&count, module), CUDA_SUCCESS);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_NE(cuModuleUnload(module), CUDA_SUCCESS);
}

TEST_F(Driver, LibrariesAreModules) {
  CUlibrary library = nullptr;
  ASSERT_EQ(cuLibraryLoadData(&library, scale.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_SUCCESS);
  CUkernel kernel = nullptr;
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "scale"), CUDA_SUCCESS);
  CUfunction function = nullptr;
  ASSERT_EQ(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
  const char* name = nullptr;
  EXPECT_EQ(cuFuncGetName(&name, function), CUDA_SUCCESS);
  EXPECT_STREQ(name, "scale");
  int threads = 0;
  EXPECT_EQ(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(threads, 1024);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncGetName(&name, function), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, TextsAreLinked) {
  const std::string second = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry nothing()
{
  .loc 1 2 3
  ret;
}
.file 1 "second.cu"
)";
  const std::string first = scale + ".file 1 \"scale.cu\"\n";
  CUlinkState link = nullptr;
  ASSERT_EQ(cuLinkCreate(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  for (const std::string& text : {first, second}) {
    ASSERT_EQ(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()),
                            text.size() + 1, "text", 0, nullptr, nullptr),
              CUDA_SUCCESS);
  }
  EXPECT_EQ(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, nullptr, 0, "", 0, nullptr, nullptr),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  void* image = nullptr;
  ASSERT_EQ(cuLinkComplete(link, &image, nullptr), CUDA_SUCCESS);
  // Each text has its own source files.
  const std::string whole = static_cast<const char*>(image);
  for (const char* line : {".file 1 \"scale.cu\"", ".loc 3 2 3", ".file 3 \"second.cu\""}) {
    EXPECT_NE(whole.find(line), std::string::npos) << line;
  }
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module, "nothing"), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "scale"), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
}

// Taichi relies on large buffers that begin at a page.
TEST_F(Driver, LargeBuffersBeginAtAPage) {
  device_copy({1});
  EXPECT_EQ(device_copy(std::vector<unsigned>(1 << 18)) % 4096, 0U);
}

// PyCUDA sets the shape before each launch.
TEST_F(Driver, AFunctionsShapeMayBeSet) {
  EXPECT_EQ(cuFuncSetBlockShape(function_, 32, 2, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncSetBlockShape(function_, 32, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, MappedPiecesAreOneBuffer) {
  std::size_t piece = 0;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  ASSERT_EQ(cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            CUDA_SUCCESS);
  CUdeviceptr range = 0;
  ASSERT_EQ(cuMemAddressReserve(&range, 3 * piece, 0, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressReserve(&range, 1000, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  CUmemGenericAllocationHandle memory = 0;
  ASSERT_EQ(cuMemCreate(&memory, piece, &properties, 0), CUDA_SUCCESS);
  CUmemGenericAllocationHandle other = 0;
  ASSERT_EQ(cuMemCreate(&other, piece, &properties, 0), CUDA_SUCCESS);
  // Maps the first piece again after the second.
  ASSERT_EQ(cuMemMap(range, piece, 0, memory, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(range, piece, 0, other, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuMemMap(range + piece, piece, 0, other, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemMap(range + 2 * piece, piece, 0, memory, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(memory), CUDA_SUCCESS);
  EXPECT_NE(cuMemsetD32(range, 1, 1), CUDA_SUCCESS) << "before access is given";
  const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                               CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  ASSERT_EQ(cuMemSetAccess(range, 3 * piece, &access, 1), CUDA_SUCCESS);

  ASSERT_EQ(cuMemsetD32(range, 7, 2 * piece / 4), CUDA_SUCCESS);
  EXPECT_EQ(host_copy(range + 2 * piece, 1)[0], 7U);
  CUdeviceptr in = range + piece - 8;
  CUdeviceptr out = range + piece - 8;
  unsigned factor = 2;
  std::array<void*, 3> arguments = {&out, &in, &factor};
  ASSERT_EQ(cuLaunchKernel(function_, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments.data(), nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(host_copy(range + piece - 12, 6), (std::vector<unsigned>{7, 19, 19, 19, 19, 7}));
  EXPECT_EQ(host_copy(range + 3 * piece - 8, 2), (std::vector<unsigned>{19, 19}));

  ASSERT_EQ(cuMemUnmap(range + piece, piece), CUDA_SUCCESS);
  EXPECT_NE(cuMemsetD32(range + piece, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32(range, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(range, 3 * piece), CUDA_ERROR_INVALID_VALUE) << "while mapped";
  EXPECT_EQ(cuMemUnmap(range, piece), CUDA_SUCCESS);
  EXPECT_EQ(cuMemUnmap(range + 2 * piece, piece), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(other), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(range, 3 * piece), CUDA_SUCCESS);
}

TEST_F(Driver, ARangeBeginsAtItsAlignment) {
  constexpr std::size_t alignment = std::size_t{64} << 20;
  constexpr std::size_t bytes = std::size_t{2} << 20;
  std::array<CUdeviceptr, 3> ranges{};
  for (CUdeviceptr& range : ranges) {
    ASSERT_EQ(cuMemAddressReserve(&range, bytes, alignment, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(range % alignment, 0U);
  }
  for (const CUdeviceptr range : ranges) EXPECT_EQ(cuMemAddressFree(range, bytes), CUDA_SUCCESS);
}

TEST_F(Driver, ManagedMemoryIsBothSides) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAllocManaged(&address, 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuMemAllocManaged(&address, 8, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32(address, 7, 2), CUDA_SUCCESS);
  EXPECT_EQ(reinterpret_cast<const unsigned*>(address)[1], 7U);
  EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
}

TEST_F(Driver, RowsAreCopiedAndFilled) {
  CUdeviceptr image = 0;
  std::size_t pitch = 0;
  ASSERT_EQ(cuMemAllocPitch(&image, &pitch, 12, 2, 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD2D32(image, pitch, 9, 3, 2), CUDA_SUCCESS);
  std::vector<unsigned> rows(8, 1);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = image;
  copy.srcPitch = pitch;
  copy.srcXInBytes = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = rows.data();
  copy.dstPitch = 16;
  copy.WidthInBytes = 8;
  copy.Height = 2;
  ASSERT_EQ(cuMemcpy2D(&copy), CUDA_SUCCESS);
  EXPECT_EQ(rows, (std::vector<unsigned>{9, 9, 1, 1, 9, 9, 1, 1}));
  EXPECT_EQ(cuMemFree(image), CUDA_SUCCESS);
}

TEST_F(Driver, HostMemoryIsRegistered) {
  std::vector<unsigned> values(100);
  std::iota(values.begin(), values.end(), 0U);
  ASSERT_EQ(cuMemHostRegister(values.data(), 400, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostRegister(values.data(), 400, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CUdeviceptr in = 0;
  ASSERT_EQ(cuMemHostGetDevicePointer(&in, values.data(), 0), CUDA_SUCCESS);
  unsigned factor = 1;
  std::array<void*, 3> arguments = {&in, &in, &factor};
  ASSERT_EQ(cuLaunchKernel(function_, 1, 1, 1, 100, 1, 1, 0, nullptr, arguments.data(), nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(values[99], 104U);
  EXPECT_EQ(cuMemHostUnregister(values.data()), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostUnregister(values.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(Driver, ThePointersOfAllMemoryAreDescribed) {
  void* pinned = nullptr;
  CUdeviceptr managed = 0;
  ASSERT_EQ(cuMemAllocHost(&pinned, 64), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  unsigned type = 9;
  ASSERT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  reinterpret_cast<CUdeviceptr>(pinned)),
            CUDA_SUCCESS);
  EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_HOST));
  unsigned is_managed = ~0U;
  ASSERT_EQ(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed),
            CUDA_SUCCESS);
  EXPECT_EQ(is_managed, 1U);
  CUdeviceptr on_device = ~0ULL;
  std::array<CUpointer_attribute, 2> asked = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                              CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
  std::array<void*, 2> values = {&type, &on_device};
  ASSERT_EQ(
      cuPointerGetAttributes(2, asked.data(), values.data(), reinterpret_cast<CUdeviceptr>(&type)),
      CUDA_SUCCESS);
  EXPECT_EQ(type, 0U) << "of the stack";
  EXPECT_EQ(on_device, 0U);
  EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(managed), CUDA_SUCCESS);
}

// Each of four blocks writes a number, meets the others, and copies the number of the next one.
TEST_F(Driver, TheDeviceRuntimesGridBarrierIsLinked) {
  const std::string meet = R"(.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.visible .entry meet(.param .u64 values)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>;
  ld.param.u64 %d1, [values];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  add.u32 %r2, %r1, 1;
  st.global.u32 [%d3], %r2;
  { .param .b32 scope; .param .b64 handle;
    st.param.b32 [scope], 1;
    call.uni (handle), cudaCGGetIntrinsicHandle, (scope);
    ld.param.b64 %d4, [handle]; }
  { .param .b64 handle; .param .b32 flags; .param .b32 error;
    st.param.b64 [handle], %d4;
    st.param.b32 [flags], 0;
    call.uni (error), cudaCGSynchronize, (handle, flags);
    ld.param.b32 %r3, [error]; }
  and.b32 %r4, %r2, 3;
  mul.wide.u32 %d5, %r4, 4;
  add.u64 %d6, %d1, %d5;
  ld.global.u32 %r5, [%d6];
  st.global.u32 [%d3+16], %r5;
  ret;
}
)";
  CUlinkState link = nullptr;
  ASSERT_EQ(cuLinkCreate(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  ASSERT_EQ(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(meet.c_str()), meet.size() + 1,
                          "meet", 0, nullptr, nullptr),
            CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, "lib/libcudadevrt.a", 0, nullptr, nullptr),
              CUDA_SUCCESS);
  }
  void* image = nullptr;
  ASSERT_EQ(cuLinkComplete(link, &image, nullptr), CUDA_SUCCESS);
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleGetFunction(&function, module, "meet"), CUDA_SUCCESS);
  CUdeviceptr values = device_copy(std::vector<unsigned>(8));
  void* arguments[] = {&values};
  ASSERT_EQ(cuLaunchCooperativeKernel(function, 4, 1, 1, 32, 1, 1, 0, nullptr, arguments),
            CUDA_SUCCESS);
  EXPECT_EQ(host_copy(values, 8), (std::vector<unsigned>{1, 2, 3, 4, 2, 3, 4, 1}));
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
}

TEST_F(Driver, CapturesAndPoolsAreDescribed) {
  CUstream stream = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  ASSERT_EQ(cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  cuuint64_t id = 0;
  CUgraph graph = nullptr;
  std::size_t count = 7;
  ASSERT_EQ(cuStreamGetCaptureInfo(stream, &status, &id, &graph, nullptr, nullptr, &count),
            CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_NE(id, 0U);
  EXPECT_EQ(count, 0U);
  CUgraph ended = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream, &ended), CUDA_SUCCESS);
  EXPECT_EQ(graph, ended);
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  CUgraphExec made = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithParams(&made, graph, &params), CUDA_SUCCESS);
  EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  EXPECT_EQ(cuGraphExecDestroy(made), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);

  CUmemoryPool pool = nullptr;
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  cuuint64_t threshold = 12345;
  ASSERT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
            CUDA_SUCCESS);
  cuuint64_t read = 0;
  ASSERT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &read), CUDA_SUCCESS);
  EXPECT_EQ(read, threshold);
  cuuint64_t before = 0;
  ASSERT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &before), CUDA_SUCCESS);
  CUdeviceptr taken = 0;
  ASSERT_EQ(cuMemAllocAsync(&taken, 4000, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &read), CUDA_SUCCESS);
  EXPECT_EQ(read, before + 4000);
  EXPECT_EQ(cuMemFreeAsync(taken, nullptr), CUDA_SUCCESS);
}

TEST_F(Driver, ACapturedFillOfHostMemoryIsRefused) {
  CUstream stream = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_NE(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(&stream), 1, 1, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
}

TEST_F(Driver, AValueIsWrittenBehindABarrierAlone) {
  CUdeviceptr place = 0;
  ASSERT_EQ(cuMemAlloc(&place, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWriteValue32(nullptr, place, 7, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32(nullptr, place, 5, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32(nullptr, place, 5, CU_STREAM_WAIT_VALUE_EQ), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(place), CUDA_SUCCESS);
}

TEST_F(Driver, AttributesOfNewerDriversAreRefused) {
  EXPECT_EQ(cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536),
            CUDA_SUCCESS);
}

TEST_F(Driver, FunctionsAreFoundByName) {
  void* function = nullptr;
  ASSERT_EQ(cuGetProcAddress("cuMemAlloc", &function, 13000, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(function, reinterpret_cast<void*>(&cuMemAlloc));
  CUdriverProcAddressQueryResult status{};
  EXPECT_EQ(cuGetProcAddress("cuNothing", &function, 13000, 0, &status), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  ASSERT_EQ(cuGetProcAddress("cuCtxCreate", &function, 12050, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(function, reinterpret_cast<void*>(&cuCtxCreate));
  ASSERT_EQ(cuGetProcAddress("cuCtxCreate", &function, 12040, 0, nullptr), CUDA_SUCCESS);
  EXPECT_NE(function, reinterpret_cast<void*>(&cuCtxCreate)) << "which has other parameters";
  cudaDriverEntryPointQueryResult found{};
  ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 13000, 0, &found),
            cudaSuccess);
  EXPECT_EQ(function, reinterpret_cast<void*>(&cuMemAlloc));
}

TEST_F(Driver, OneStateWithTheRuntime) {
  CUdeviceptr address = device_copy({3, 4});
  std::array<unsigned, 2> values{};
  ASSERT_EQ(cudaMemcpy(values.data(), reinterpret_cast<void*>(address), 8, cudaMemcpyDefault),
            cudaSuccess);
  EXPECT_EQ(values[1], 4U);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, address + 4), CUDA_SUCCESS);
  EXPECT_EQ(base, address);
  EXPECT_EQ(bytes, 8U);
}

TEST_F(Driver, ErrorsAreNotTheRuntimesLast) {
  cudaGetLastError();
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc(&address, std::size_t{1} << 50), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  std::size_t bytes = 0;
  std::array<void*, 5> none = {CU_LAUNCH_PARAM_BUFFER_POINTER, &bytes, CU_LAUNCH_PARAM_BUFFER_SIZE,
                               &bytes, CU_LAUNCH_PARAM_END};
  EXPECT_EQ(cuLaunchKernel(function_, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, none.data()),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST_F(Driver, WhatIsNotRunSaysSo) {
  testing::internal::CaptureStderr();
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMulticastCreate(&handle, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuMulticastCreate(&handle, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said,
            "warpwise: the emulated GPU does not run cuMulticastCreate: it returns "
            "CUDA_ERROR_NOT_SUPPORTED\n");
}

TEST_F(Driver, CallbacksGetTheReasonsOfErrors) {
  std::string said;
  const CUlogsCallback take = [](void* data, CUlogLevel level, char* message, std::size_t length) {
    EXPECT_EQ(level, CU_LOG_LEVEL_ERROR);
    *static_cast<std::string*>(data) += std::string(message, length);
  };
  CUlogsCallbackHandle handle = nullptr;
  EXPECT_EQ(cuLogsRegisterCallback(nullptr, &said, &handle), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuLogsRegisterCallback(take, &said, &handle), CUDA_SUCCESS);
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, "no PTX"), CUDA_ERROR_INVALID_PTX);
  EXPECT_TRUE(said.starts_with("cudaErrorInvalidPtx: ")) << said;
  EXPECT_EQ(cuLogsUnregisterCallback(handle), CUDA_SUCCESS);
  said.clear();
  EXPECT_EQ(cuModuleLoadData(&module, "no PTX"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(said, "");
}

TEST(DriverErrors, HaveTheirNames) {
  const char* text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(-3), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorStreamCaptureMerge), "cudaErrorStreamCaptureMerge");
}

TEST(DriverContexts, AreAStackOfTheThread) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  ASSERT_EQ(cuCtxCreate(&first, nullptr, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate(&second, nullptr, 0, 0), CUDA_SUCCESS);
  CUcontext now = nullptr;
  EXPECT_EQ(cuCtxPopCurrent(&now), CUDA_SUCCESS);
  EXPECT_EQ(now, second);
  EXPECT_EQ(cuCtxGetCurrent(&now), CUDA_SUCCESS);
  EXPECT_EQ(now, first);
  EXPECT_EQ(cuCtxDestroy(second), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDetach(first), CUDA_SUCCESS);  // PyCUDA releases contexts this way
  EXPECT_EQ(cuCtxCreate(&first, nullptr, 0, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST(DriverContexts, ThePrimaryOneCanBePopped) {
  CUcontext primary = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
  std::thread([primary] {
    CUcontext now = nullptr;
    EXPECT_EQ(cuCtxPopCurrent(&now), CUDA_SUCCESS);
    EXPECT_EQ(now, primary);
    EXPECT_EQ(cuCtxGetCurrent(&now), CUDA_SUCCESS);
    EXPECT_EQ(now, nullptr);
    EXPECT_EQ(cuCtxPopCurrent(&now), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxPushCurrent(primary), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxGetCurrent(&now), CUDA_SUCCESS);
    EXPECT_EQ(now, primary);
  }).join();
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
}

}  // namespace
