#pragma once

// Headers that need C++20 and include no other header of Warpwise include this one first. A program
// that is compiled as C++17 then gets one message instead of pages about `requires` and std::span.
#if __cplusplus < 202002L
#error Warpwise needs C++20: compile with -std=c++20, or in CMake link warpwise::warpwise.
// Compilers continue after #error. Both GCC and Clang stop at a missing file.
#include "compile-with-std=c++20"
#endif
