#pragma once

#include <cfloat>

namespace warpwise {

/// A float with at least 113 significant bits: long double on aarch64, __float128 on x86-64.
#if LDBL_MANT_DIG >= 113
using Float128 = long double;
#else
using Float128 = __float128;
#endif

}  // namespace warpwise
