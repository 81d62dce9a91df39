#include <array>

#include "warpwise/lab/compile/nvrtc.hpp"

namespace warpwise::lab {
namespace {

// Declares 64-bit types as libcu++ does for NVRTC, so that a kernel may include both headers.
constexpr const char* stdint_text = R"(#pragma once
using int8_t = signed char; using uint8_t = unsigned char;
using int16_t = signed short; using uint16_t = unsigned short;
using int32_t = signed int; using uint32_t = unsigned int;
using int64_t = signed long long; using uint64_t = unsigned long long;
using intptr_t = int64_t; using uintptr_t = uint64_t;
using intmax_t = int64_t; using uintmax_t = uint64_t;
#ifndef INT8_MAX
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX UINT64_MAX
#endif
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::intptr_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t;
}
)";

constexpr const char* stddef_text = R"(#pragma once
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
namespace std { using ::size_t; using ::ptrdiff_t; using nullptr_t = decltype(nullptr); }
)";

constexpr const char* limits_h_text = R"(#pragma once
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif
)";

constexpr const char* float_h_text = R"(#pragma once
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN 1.17549435e-38F
#define FLT_MAX 3.40282347e+38F
#define FLT_EPSILON 1.19209290e-7F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
)";

constexpr const char* math_text = R"(#pragma once
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF INFINITY
#endif
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::exp; using ::exp2;
using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p; using ::pow; using ::sin;
using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh;
using ::cosh; using ::tanh; using ::erf; using ::erfc; using ::tgamma; using ::lgamma; using ::floor;
using ::ceil; using ::trunc; using ::round; using ::rint; using ::nearbyint; using ::fmod;
using ::remainder; using ::fma; using ::fmin; using ::fmax; using ::fdim; using ::copysign;
using ::ldexp; using ::frexp; using ::modf; using ::isnan; using ::isinf; using ::isfinite;
using ::signbit; using ::lround; using ::lrint;
}
)";

constexpr const char* string_h_text = R"(#pragma once
namespace std { using ::size_t; using ::memcpy; using ::memset; }
)";

constexpr const char* algorithm_text = R"(#pragma once
namespace std {
template <class T>
__host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T>
__host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T>
__host__ __device__ constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}
#ifndef WARPWISE_STUB_SWAP
#define WARPWISE_STUB_SWAP
template <class T>
__host__ __device__ constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
#endif
}
)";

// Forwards to libcu++ for device code, if NVIDIA's headers are found.
#define WARPWISE_FORWARD(header)                                                       \
  "#pragma once\n#if __has_include(<cuda/std/" header ">)\n#include <cuda/std/" header \
  ">\nnamespace std { using namespace cuda::std; }\n#else\n#error <" header            \
  "> in device code needs NVIDIA's headers; scripts/get-nvrtc.sh downloads them\n#endif\n"

constexpr const char* stdio_text = "#pragma once\nnamespace std { using ::printf; }\n";
constexpr const char* stdlib_text =
    "#pragma once\nnamespace std { using ::malloc; using ::free; }\n";
constexpr const char* nothing = "#pragma once\n";

constexpr StubHeader headers[] = {
    {"cstdint", stdint_text},
    {"stdint.h", stdint_text},
    {"inttypes.h", stdint_text},
    {"cinttypes", stdint_text},
    {"cstddef", stddef_text},
    {"stddef.h", stddef_text},
    {"climits", limits_h_text},
    {"limits.h", limits_h_text},
    {"cfloat", float_h_text},
    {"float.h", float_h_text},
    {"cmath", math_text},
    {"math.h", math_text},
    {"cstring", string_h_text},
    {"string.h", string_h_text},
    {"algorithm", algorithm_text},
    {"limits", WARPWISE_FORWARD("limits")},
    {"type_traits", WARPWISE_FORWARD("type_traits")},
    {"array", WARPWISE_FORWARD("array")},
    {"utility", WARPWISE_FORWARD("utility")},
    {"tuple", WARPWISE_FORWARD("tuple")},
    {"complex", WARPWISE_FORWARD("complex")},
    {"bit", WARPWISE_FORWARD("bit")},
    {"span", WARPWISE_FORWARD("span")},
    {"optional", WARPWISE_FORWARD("optional")},
    {"concepts", WARPWISE_FORWARD("concepts")},
    // NVRTC has the device declarations of these headers built in; the rest is for host code.
    {"cuda_runtime.h", nothing},
    {"cuda_runtime_api.h", nothing},
    {"cuda.h", nothing},
    {"device_launch_parameters.h", nothing},
    {"device_functions.h", nothing},
    {"driver_types.h", nothing},
    {"vector_types.h", nothing},
    {"vector_functions.h", nothing},
    {"cstdio", stdio_text},
    {"stdio.h", stdio_text},
    {"cstdlib", stdlib_text},
    {"stdlib.h", stdlib_text},
    {"cassert", nothing},
    {"assert.h", nothing},
    {"ctime", nothing},
    {"time.h", nothing},
    // Headers for host code only.
    {"iostream", nothing},
    {"fstream", nothing},
    {"sstream", nothing},
    {"iomanip", nothing},
    {"ostream", nothing},
    {"istream", nothing},
    {"string", nothing},
    {"string_view", nothing},
    {"vector", nothing},
    {"map", nothing},
    {"set", nothing},
    {"unordered_map", nothing},
    {"unordered_set", nothing},
    {"list", nothing},
    {"deque", nothing},
    {"queue", nothing},
    {"stack", nothing},
    {"memory", nothing},
    {"numeric", nothing},
    {"functional", nothing},
    {"iterator", nothing},
    {"random", nothing},
    {"chrono", nothing},
    {"thread", nothing},
    {"mutex", nothing},
    {"atomic", nothing},
    {"future", nothing},
    {"exception", nothing},
    {"stdexcept", nothing},
    {"system_error", nothing},
    {"filesystem", nothing},
    {"initializer_list", nothing},
    {"typeinfo", nothing},
    {"new", nothing},
    {"cerrno", nothing},
    {"errno.h", nothing},
    {"unistd.h", nothing},
    {"sys/time.h", nothing},
    {"getopt.h", nothing},
    {"helper_cuda.h", nothing},
    {"helper_functions.h", nothing},
    {"cuda_profiler_api.h", nothing},
};

}  // namespace

std::span<const StubHeader> stub_headers() { return headers; }

}  // namespace warpwise::lab
