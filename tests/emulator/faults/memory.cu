// Accesses outside of memory, and misaligned accesses.

#include <cstdint>

#include "cases.hpp"

namespace faults {
namespace {

__global__ void write_each(int* to) { to[threadIdx.x] = 1; }

__global__ void write_guarded(int* to, int count) {
  if (threadIdx.x < count) to[threadIdx.x] = 1;
}

__global__ void read_at(const int* from, int offset, int* to) {
  to[threadIdx.x] = from[static_cast<int>(threadIdx.x) + offset];
}

__global__ void read_if_there(const int* from, int* to) {
  to[threadIdx.x] = from == nullptr ? 7 : from[threadIdx.x];
}

__global__ void atomic_at(int* to, int index) { atomicAdd(to + index, 1); }

__global__ void column(const unsigned char* image, int pitch, int height, int* to) {
  int sum = 0;
  for (int y = 0; y < height; ++y) sum += image[y * pitch + 63];
  to[threadIdx.x] = sum;
}

__global__ void shared_at(int* to, int index) {
  __shared__ int values[32];
  values[threadIdx.x] = threadIdx.x;
  __syncwarp();
  to[threadIdx.x] = values[(threadIdx.x + index) & 2047];
}

// Reads beyond the first of two arrays in one variable, and so from the second array.
__global__ void shared_neighbour(int* to, int beyond) {
  struct Both {
    int first[32];
    int second[32];
  };
  __shared__ Both both;
  both.first[threadIdx.x] = 1;
  both.second[threadIdx.x] = 2;
  __syncwarp();
  to[threadIdx.x] = both.first[threadIdx.x + beyond];
}

// Reads beyond the end of the array that the compiler has placed first in shared memory.
__global__ void shared_variable(int* to, int beyond) {
  __shared__ int one[32];
  __shared__ int other[32];
  one[threadIdx.x] = 1;
  other[threadIdx.x] = 2;
  __syncwarp();
  const int* first = one < other ? one : other;
  to[threadIdx.x] = first[threadIdx.x + beyond];
}

extern __shared__ int dynamic[];

__global__ void dynamic_shared(int* to) {
  dynamic[threadIdx.x] = threadIdx.x;
  __syncwarp();
  to[threadIdx.x] = dynamic[threadIdx.x];
}

__global__ void local_at(int* to, int index, int count) {
  int values[16];
  for (int i = 0; i < 16; ++i) values[i] = i * count;
  values[index] = 5;
  to[threadIdx.x] = values[(index + count) & 15];
}

__constant__ int table[16];

__global__ void constant_at(int* to, int index) { to[threadIdx.x] = table[index]; }

__global__ void global_int(const char* from, int* to) {
  to[threadIdx.x] = *reinterpret_cast<const int*>(from);
}

__global__ void global_bytes(const char* from, int* to) {
  int value = 0;
  for (int i = 0; i < 4; ++i) value |= from[i] << (8 * i);
  to[threadIdx.x] = value;
}

__global__ void vector(const int* from, int* to) {
  const int4 value = *reinterpret_cast<const int4*>(from);
  to[threadIdx.x] = value.x + value.y * 3 + value.z * 5 + value.w;
}

__global__ void shared_int(int* to, int offset) {
  __shared__ __align__(16) char bytes[64];
  for (int i = threadIdx.x; i < 64; i += 32) bytes[i] = static_cast<char>(i);
  __syncwarp();
  to[threadIdx.x] = *reinterpret_cast<int*>(bytes + offset);
}

void shared_case(int index) {
  const Ints to(32);
  shared_at<<<1, 32>>>(to, index);
  finish();
}

void local_case(int index) {
  const Ints to(32);
  local_at<<<1, 32>>>(to, index, 1);
  finish();
}

void column_case(int height) {
  const Buffer<unsigned char> image(64 * 8);
  const Ints to(32);
  column<<<1, 32>>>(image, 64, height, to);
  finish();
}

void read_case(int offset) {
  const Ints from(64);
  const Ints to(32);
  read_at<<<1, 32>>>(from + 16, offset, to);
  finish();
}

}  // namespace

std::vector<Case> memory_cases() {
  return {
      {"global_write_past_end", "out_of_bounds",
       [] {
         const Ints to(60);
         write_each<<<1, 64>>>(to);
         finish();
       }},
      {"global_write_guarded", sound,
       [] {
         const Ints to(60);
         write_guarded<<<1, 64>>>(to, 60);
         finish();
       }},
      {"global_read_past_end", "out_of_bounds", [] { read_case(256); }},
      {"global_read_to_the_end", sound, [] { read_case(16); }},
      {"global_read_before_begin", "out_of_bounds", [] { read_case(-17); }},
      {"global_read_at_negative_index", sound, [] { read_case(-16); }},
      {"global_null_pointer", "out_of_bounds",
       [] {
         const Ints to(32);
         read_at<<<1, 32>>>(nullptr, 0, to);
         finish();
       }},
      {"global_null_pointer_guarded", sound,
       [] {
         const Ints to(32);
         read_if_there<<<1, 32>>>(nullptr, to);
         finish();
       }},
      {"global_host_pointer", "out_of_bounds",
       [] {
         static int on_host[32];
         const Ints to(32);
         read_at<<<1, 32>>>(on_host, 0, to);
         finish();
       }},  // some GPUs can read it: those that share the host's page tables
      {"global_pinned_pointer", sound,
       [] {
         int* on_host = nullptr;
         check(cudaMallocHost(&on_host, 32 * sizeof(int)));
         for (int i = 0; i < 32; ++i) on_host[i] = i;
         const Ints to(32);
         read_at<<<1, 32>>>(on_host, 0, to);
         finish();
         check(cudaFreeHost(on_host));
       }},
      {"global_atomic_past_end", "out_of_bounds",
       [] {
         const Ints to(4);
         atomic_at<<<1, 32>>>(to, 4);
         finish();
       }},
      {"global_atomic_at_end", sound,
       [] {
         const Ints to(4);
         atomic_at<<<1, 32>>>(to, 3);
         finish();
       }},
      {"image_row_too_many", "out_of_bounds", [] { column_case(9); }},
      {"image_all_rows", sound, [] { column_case(8); }},
      {"shared_past_end", "out_of_bounds", [] { shared_case(512); }},
      {"shared_at_end", sound, [] { shared_case(0); }},
      {"shared_neighbour_array", "out_of_bounds",
       [] {
         const Ints to(32);
         shared_neighbour<<<1, 32>>>(to, 8);
         finish();
       },
       "the parts of one variable are not told apart"},
      {"shared_own_array", sound,
       [] {
         const Ints to(32);
         shared_neighbour<<<1, 32>>>(to, 0);
         finish();
       }},
      {"shared_other_variable", "out_of_bounds",
       [] {
         const Ints to(32);
         shared_variable<<<1, 32>>>(to, 8);
         finish();
       }},
      {"shared_own_variable", sound,
       [] {
         const Ints to(32);
         shared_variable<<<1, 32>>>(to, 0);
         finish();
       }},
      {"shared_dynamic_too_small", "out_of_bounds",
       [] {
         const Ints to(64);
         dynamic_shared<<<1, 32, 16 * sizeof(int)>>>(to);
         finish();
       }},
      {"shared_dynamic_large_enough", sound,
       [] {
         const Ints to(64);
         dynamic_shared<<<1, 32, 32 * sizeof(int)>>>(to);
         finish();
       }},
      {"local_past_end", "out_of_bounds", [] { local_case(16); }},
      {"local_far_past_end", "out_of_bounds", [] { local_case(1 << 26); }},
      {"local_at_end", sound, [] { local_case(15); }},
      {"constant_past_end", "out_of_bounds",
       [] {
         const Ints to(32);
         constant_at<<<1, 32>>>(to, 1 << 20);
         finish();
       }},
      {"constant_at_end", sound,
       [] {
         const Ints to(32);
         constant_at<<<1, 32>>>(to, 15);
         finish();
       }},
      {"misaligned_int", "misaligned",
       [] {
         const Buffer<char> from(64);
         const Ints to(32);
         global_int<<<1, 32>>>(from + 1, to);
         finish();
       }},
      {"misaligned_bytes", sound,
       [] {
         const Buffer<char> from(64);
         const Ints to(32);
         global_bytes<<<1, 32>>>(from + 1, to);
         finish();
       }},
      {"misaligned_vector", "misaligned",
       [] {
         const Ints from(64);
         const Ints to(32);
         vector<<<1, 32>>>(from + 1, to);
         finish();
       }},
      {"aligned_vector", sound,
       [] {
         const Ints from(64);
         const Ints to(32);
         vector<<<1, 32>>>(from + 4, to);
         finish();
       }},
      {"misaligned_shared", "misaligned",
       [] {
         const Ints to(32);
         shared_int<<<1, 32>>>(to, 2);
         finish();
       }},
      {"aligned_shared", sound,
       [] {
         const Ints to(32);
         shared_int<<<1, 32>>>(to, 4);
         finish();
       }},
  };
}

}  // namespace faults
