// WORDS times 4 bytes, which one access loads or stores.
#pragma once

#if WORDS == 1
using Word = unsigned;
#elif WORDS == 2
using Word = uint2;
#else
using Word = uint4;
#endif
