// nvcc -std=c++20 -ptx -G -arch=compute_75 debug.cu
// Unoptimised code, with the sections that a debugger reads.
extern "C" __global__ void twice(int* values) { values[threadIdx.x] *= 2; }
