// y = a x + y. Compile to saxpy.ptx: nvcc -ptx -lineinfo -arch=compute_75 saxpy.cu
extern "C" __global__ void saxpy(int count, float a, const float* x, float* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) y[i] = a * x[i] + y[i];
}
