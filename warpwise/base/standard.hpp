#pragma once

// A header that includes no other of Warpwise and is no C++17 includes this first: a program that
// is compiled as C++17 gets one message instead of pages about `requires` and std::span.
#if __cplusplus < 202002L
#error Warpwise needs C++20: compile with -std=c++20, or in CMake link warpwise::warpwise.
// Compilers go on after #error. A missing file is what both GCC and Clang stop at.
#include "compile-with-std=c++20"
#endif
