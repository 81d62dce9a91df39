#pragma once

#include <cfloat>

namespace warpwise {

/// A number of at least 113 bits: aarch64 calls it long double, x86-64 __float128.
#if LDBL_MANT_DIG >= 113
using Float128 = long double;
#else
using Float128 = __float128;
#endif

}  // namespace warpwise
