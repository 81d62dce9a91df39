// slow: each edge raises the label of its vertex by an atomic maximum.
// fast: each edge reads the label first, and takes the atomic only where it would raise it.

extern "C" __global__ void slow(unsigned* labels, const unsigned* edges) {
  const unsigned edge = edges[blockIdx.x * blockDim.x + threadIdx.x];
  atomicMax(&labels[edge & 16383], edge >> 14);
}
extern "C" __global__ void fast(unsigned* labels, const unsigned* edges) {
  const unsigned edge = edges[blockIdx.x * blockDim.x + threadIdx.x];
  if (labels[edge & 16383] < edge >> 14) atomicMax(&labels[edge & 16383], edge >> 14);
}
