#pragma once

// Shared by the two files of linked_test.

extern __device__ int of_the_other_file(int value);
extern __constant__ int table[4];

inline __device__ __noinline__ int of_both_files(int value) { return 2 * value; }

void fill_from_the_other_file(int* to);
