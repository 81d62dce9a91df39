#pragma once

#include <cstdint>
#include <type_traits>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/float16.hpp"

namespace warpwise {

/// Storage type of one channel of a pixel, or of one element of a matrix.
enum class ElementType : std::uint8_t { u8, u16, i16, u32, i32, f32, f16, bf16 };

/// Returns the bytes of one element.
constexpr int size_of(ElementType type) {
  switch (type) {
    case ElementType::u8: return 1;
    case ElementType::u16:
    case ElementType::i16:
    case ElementType::f16:
    case ElementType::bf16: return 2;
    case ElementType::u32:
    case ElementType::i32:
    case ElementType::f32: return 4;
  }
  __builtin_unreachable();
}

/// Names for name_of() and value_named(): "u8", "u16", …
constexpr auto enum_names(ElementType) {
  return std::to_array<EnumName<ElementType>>({{ElementType::u8, "u8"},
                                               {ElementType::u16, "u16"},
                                               {ElementType::i16, "i16"},
                                               {ElementType::u32, "u32"},
                                               {ElementType::i32, "i32"},
                                               {ElementType::f32, "f32"},
                                               {ElementType::f16, "f16"},
                                               {ElementType::bf16, "bf16"}});
}

/// ElementType of a C++ type: `element_type_of<float> == ElementType::f32`.
template <class T>
inline constexpr ElementType element_type_of = [] {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, std::uint8_t>)
    return ElementType::u8;
  else if constexpr (std::is_same_v<U, std::uint16_t>)
    return ElementType::u16;
  else if constexpr (std::is_same_v<U, std::int16_t>)
    return ElementType::i16;
  else if constexpr (std::is_same_v<U, std::uint32_t>)
    return ElementType::u32;
  else if constexpr (std::is_same_v<U, std::int32_t>)
    return ElementType::i32;
  else if constexpr (std::is_same_v<U, Float16>)
    return ElementType::f16;
  else if constexpr (std::is_same_v<U, BFloat16>)
    return ElementType::bf16;
  else {
    static_assert(std::is_same_v<U, float>, "no ElementType stands for this C++ type");
    return ElementType::f32;
  }
}();

}  // namespace warpwise
