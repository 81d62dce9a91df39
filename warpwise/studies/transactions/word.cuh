#pragma once

// The word of BITS bits that a lane loads.
#if BITS == 8
using Word = unsigned char;
#elif BITS == 16
using Word = unsigned short;
#elif BITS == 32
using Word = unsigned;
#elif BITS == 64
using Word = uint2;
#elif BITS == 128
using Word = uint4;
#endif
