#include "warpwise/emulator/readable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpwise::emulator {
namespace readable_tests {

// numba-cuda 0.30.4 gave these names to kernels and functions. '@' stands for the tag of its flags.
std::string of_numba(std::string name) {
  name.replace(name.find('@'), 1,
               "B104cw51cXTLSUwv1sDUaKthqaNgoKmjgOR3W3Cw6igA9duC0hkwnNGiHEkYkrqQBFBTDEwCyQe21eqwcFW"
               "3UoDGjzpQEsgzrtUEAA_3d_3d");
  return readable(name);
}

TEST(Readable, NamesOfCpp) {
  EXPECT_EQ(readable("_Z5scalePi"), "scale(int*)");
  EXPECT_EQ(readable("_ZN2ns4copyIiEEvPT_"), "void ns::copy<int>(int*)");
  EXPECT_EQ(readable("_ZN2ns4copyB2v1EPi"), "ns::copy(int*)");  // one tag: not numba's
  for (const char* plain : {"", "f", "scale", "_Z", "_ZN", "_Zebra"})
    EXPECT_EQ(readable(plain), plain);
}

TEST(Readable, NamesOfPython) {
  EXPECT_EQ(of_numba("_ZN8__main__6noargsB3v15@E"), "noargs()");
  EXPECT_EQ(of_numba("_ZN6smooth6smoothB2v1@Ex"), "smooth.smooth(int64)");
  EXPECT_EQ(of_numba("_ZN8__main__4make12_3clocals_3e5innerB2v6@Ef"),
            "make.<locals>.inner(float32)");
  EXPECT_EQ(of_numba("_ZN8__main__1K4methB2v7@E9complex64"), "K.meth(complex64)");
  EXPECT_EQ(of_numba("_ZN8__main__12_3clambda_3eB3v12@Ex"), "<lambda>(int64)");
  EXPECT_EQ(of_numba("_ZN8__main__17__vectorized_vaddB2v1@Ef"), "__vectorized_vadd(float32)");
  EXPECT_EQ(of_numba("_ZN8__main__18_ed_8f_89_ea_b7_a0B2v1@Ef"), "평균(float32)");
  // Escapes that may be part of a name in the source stay.
  EXPECT_EQ(of_numba("_ZN1m7conv_2dB2v1@Ex"), "m.conv_2d(int64)");
  EXPECT_EQ(of_numba("_ZN1m10conv_c3_b8B2v1@Ex"), "m.conv_c3_b8(int64)");
}

TEST(Readable, TypesOfNumba) {
  EXPECT_EQ(of_numba("_ZN8__main__4scalB2v1@ExdbayDh10complex128"),
            "scal(int64, float64, bool, int8, uint64, float16, complex128)");
  EXPECT_EQ(of_numba("_ZN1m1fB2v1@Ehtsjifv"),
            "m.f(uint8, uint16, int16, uint32, int32, float32, none)");
  EXPECT_EQ(of_numba("_ZN8__main__3arrB2v2@E5ArrayIfLi1E1C7mutable7alignedE"
                     "5ArrayIdLi2E1C7mutable7alignedE5ArrayIsLi2E1F7mutable7alignedE"
                     "5ArrayIfLi3E1A7mutable7alignedE"),
            "arr(float32[::1], float64[:, ::1], int16[::1, :], float32[:, :, :])");
  EXPECT_EQ(of_numba("_ZN1m1fB2v3@E5ArrayIdLi1E1C8readonly7alignedE"
                     "5ArrayIdLi1E1C7mutable9unalignedE5ArrayIdLi0E1C7mutable7alignedE"),
            "m.f(readonly array(float64, 1d, C), unaligned array(float64, 1d, C), "
            "array(float64, 0d, C))");
  EXPECT_EQ(of_numba("_ZN8__main__3tupB2v3@E8UniTupleIxLi2EE5TupleIxdE20P_28int64_20x_202_29"
                     "5TupleI5TupleIxfE5ArrayIdLi1E1C7mutable7alignedEE5Tuple"),
            "tup(UniTuple(int64 x 2), Tuple(int64, float64), P(int64 x 2), "
            "Tuple(Tuple(int64, float32), float64[::1]), Tuple())");
  EXPECT_EQ(of_numba("_ZN8__main__4recsB2v8@E5ArrayI6RecordILi3168EELi1E1C7mutable7alignedE"
                     "5ArrayI17datetime64_5bs_5dLi1E1C7mutable7alignedE18_5bchar_20x_203_5d"),
            "recs(Record(3168)[::1], datetime64[s][::1], [char x 3])");
  EXPECT_EQ(of_numba("_ZN8__main__8optionalB3v11@E23OptionalType_28int32_2924omitted_28default_3d3"
                     "_2923Literal_5bint_5d_283_298int32_2a16slice_3ca_3ab_3e"),
            "optional(OptionalType(int32), omitted(default=3), Literal[int](3), int32*, "
            "slice<a:b>)");
}

// Names that resemble those of numba. Only the first and the last one are valid for numba. Some of
// the others are valid for the demangler of C++. The rest are broken and stay mangled.
TEST(Readable, NamesThatAreNotQuiteNumbas) {
  EXPECT_EQ(readable("_ZN1m1fB2v1B2cwE3BoxILi1EE"), "m.f(Box(1))");
  EXPECT_EQ(readable("_ZN1m1fB2v1B2cwEPi"), "m::f(int*)");
  EXPECT_EQ(readable("_ZN1m1fB2vxB2cwEi"), "m::f(int)");
  for (const char* broken :
       {"_ZN1m1fB2v1B2cwE3BoxILi1E", "_ZN1m1fB2v1B2cwE9Box", "_ZN1m1fB2v1B2cwELi",
        "_ZN1m1fB2v1B99999999999999999999cwE", "_ZN1m1fB2v1B2cwE5ArrayI", "_ZN1m1fB2v1B2cw"})
    EXPECT_EQ(readable(broken), broken);
  std::string deep = "_ZN1m1fB2v1B2cwE";
  for (int i = 0; i < 100'000; ++i) deep += "1TI";
  EXPECT_EQ(readable(deep), deep);
  EXPECT_EQ(readable("_ZN1m1fB2v1B2cwE5ArrayIfLi99999999E1C7mutable7alignedE"),
            "m.f(array(float32, 99999999d, C))");
}

}  // namespace readable_tests
}  // namespace warpwise::emulator
