#include "warpwise/emulator/instructions/memory/load_store.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/instructions/copies/copy_whole.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

/// Loads element e of each lane's vector.
template <class T, class S, S kept>
void gather(const Resolved& place, int e, S* out) {
  const std::byte* base = place.base + static_cast<std::size_t>(e) * sizeof(T);
#pragma GCC unroll 16
  for (int i = 0; i < warp_lanes; ++i) {
    T value;
    std::memcpy(&value, base + place.at[i], sizeof(T));
    out[i] = static_cast<S>(value) & kept;
  }
}

/// Largest size in bytes of a lane's whole vector.
constexpr int most_bytes = 32;

template <class T, class S, S kept>
void load_whole(Warp& warp, const Operation& op, const Resolved& place) {
  alignas(16) std::byte vectors[warp_lanes][most_bytes] = {};
  for (Mask left = place.valid; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    copy_whole(vectors[i], place.base + place.at[i], static_cast<int>(sizeof(T)) * op.count);
  }
  const std::int32_t* registers = list_of(warp, op);
  for (int e = 0; e < op.count; ++e) {
    alignas(64) S out[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) {
      T value;
      std::memcpy(&value, vectors[i] + static_cast<std::size_t>(e) * sizeof(T), sizeof(T));
      out[i] = static_cast<S>(value) & kept;
    }
    write_lanes(warp, registers[e], out);
  }
}

template <class T, class S>
void store_whole(Warp& warp, const Operation& op, const Resolved& place) {
  alignas(16) std::byte vectors[warp_lanes][most_bytes];
  const std::int32_t* registers = list_of(warp, op);
  for (int e = 0; e < op.count; ++e) {
    const S* values = source<S>(warp, registers[e]);
    for (int i = 0; i < warp_lanes; ++i) {
      const T value = static_cast<T>(values[i]);
      std::memcpy(vectors[i] + static_cast<std::size_t>(e) * sizeof(T), &value, sizeof(T));
    }
  }
  for (Mask left = place.valid; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    copy_whole(place.base + place.at[i], vectors[i], static_cast<int>(sizeof(T)) * op.count);
  }
}

/// Loads elements of type T into registers that are stored as S. Each register keeps the bits
/// `kept` of the extended value (0xffff for a register of 16 bits).
template <class Observers, class T, class S, S kept>
void load(Warp& warp, const Operation& op) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  if (op.strong) note_poll(warp, op, addresses);
  const std::int32_t* registers = list_of(warp, op);
  const int bytes = static_cast<int>(sizeof(T)) * op.count;
  for_each_space(op.space, addresses, warp.active, [&](Space space, Mask lanes) {
    const Request request{space, AccessKind::load, bytes, addresses, lanes};
    with_lanes(warp, lanes, [&] {
      serve<Observers>(warp, op, op.site, request, [&](const Resolved& place) {
        if (op.strong && op.count > 1) return load_whole<T, S, kept>(warp, op, place);
        for (int e = 0; e < op.count; ++e) {
          alignas(64) S out[warp_lanes];
          if (place.valid == 0) {
            std::memset(out, 0, sizeof(out));
          } else if (place.contiguous && op.count == 1) {
            alignas(64) T values[warp_lanes];
            std::memcpy(values, place.base + place.at[0], sizeof(values));
            for (int i = 0; i < warp_lanes; ++i) out[i] = static_cast<S>(values[i]) & kept;
          } else {
            gather<T, S, kept>(place, e, out);
            if (place.valid != warp.active) {
              for (int i = 0; i < warp_lanes; ++i)
                out[i] = (place.valid >> i & 1) != 0 ? out[i] : 0;
            }
          }
          write_lanes(warp, registers[e], out);
        }
      });
    });
  });
}

/// Loads from the kernel's parameters at Operation::offset, which is in bounds.
template <class Observers, class T, class S, S kept>
void load_parameter(Warp& warp, const Operation& op) {
  const std::int32_t* registers = list_of(warp, op);
  const std::byte* from = warp.worker->launch->parameters.data() + op.offset;
  for (int e = 0; e < op.count; ++e) {
    T value;
    std::memcpy(&value, from + static_cast<std::size_t>(e) * sizeof(T), sizeof(T));
    alignas(64) S out[warp_lanes];
    std::fill_n(out, warp_lanes, static_cast<S>(value) & kept);
    write_lanes(warp, registers[e], out);
  }
  if constexpr (Observers::any) {
    alignas(64) std::uint64_t addresses[warp_lanes];
    std::fill_n(addresses, warp_lanes, static_cast<std::uint64_t>(op.offset));
    const int bytes = static_cast<int>(sizeof(T)) * op.count;
    Observers::of(warp).after_access(warp, op,
                                     Access{Space::parameter, AccessKind::load, bytes, addresses,
                                            warp.active, false, op.site, nullptr});
  }
}

template <class Observers, class T, class S>
void store(Warp& warp, const Operation& op) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  const std::int32_t* registers = list_of(warp, op);
  const int bytes = static_cast<int>(sizeof(T)) * op.count;
  for_each_space(op.space, addresses, warp.active, [&](Space space, Mask lanes) {
    const Request request{space, AccessKind::store, bytes, addresses, lanes};
    serve<Observers>(warp, op, op.site, request, [&](const Resolved& place) {
      if (op.strong && op.count > 1) return store_whole<T, S>(warp, op, place);
      for (int e = 0; e < op.count; ++e) {
        const S* values = source<S>(warp, registers[e]);
        std::byte* base = place.base + static_cast<std::size_t>(e) * sizeof(T);
        if (place.contiguous && op.count == 1) {
          alignas(64) T out[warp_lanes];
          for (int i = 0; i < warp_lanes; ++i) out[i] = static_cast<T>(values[i]);
          std::memcpy(base + place.at[0], out, sizeof(out));
          continue;
        }
        for (Mask left = place.valid; left != 0; left &= left - 1) {
          const int i = std::countr_zero(left);
          const T value = static_cast<T>(values[i]);
          std::memcpy(base + place.at[i], &value, sizeof(T));
        }
      }
    });
  });
}

/// Fills memory with zeros, 8 bytes in each step. Operand b is the number of bytes.
template <class Observers>
void fill(Warp& warp, const Operation& op) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  const auto* bytes = source<std::uint64_t>(warp, op.b);
  constexpr int word = sizeof(std::uint64_t);
  // PTX's largest size of st.bulk, in bytes.
  constexpr std::uint64_t most = std::uint64_t{1} << 24;
  const std::atomic<bool>& stop = warp.worker->launch->progress->stop;
  for (std::uint64_t done = 0; done < most && !stop; done += word) {
    Mask left = 0;
    alignas(64) std::uint64_t places[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) {
      left |= static_cast<Mask>(done < bytes[i]) << i;
      places[i] = addresses[i] + done;
    }
    left &= warp.active;
    if (left == 0) return;
    for_each_space(op.space, places, left, [&](Space space, Mask lanes) {
      serve<Observers>(warp, op, op.site, {space, AccessKind::store, word, places, lanes},
                       [&](const Resolved& place) {
                         for (Mask valid = place.valid; valid != 0; valid &= valid - 1)
                           std::memset(place.base + place.at[std::countr_zero(valid)], 0, word);
                       });
    });
  }
}

template <class Observers, class T, class S, S kept>
Handler load_from(Space space) {
  return space == Space::parameter ? load_parameter<Observers, T, S, kept>
                                   : load<Observers, T, S, kept>;
}

template <class Observers, class T>
Handler load_of(Width width, Space space) {
  switch (width) {
    case Width::w16:
      if constexpr (sizeof(T) <= 2) return load_from<Observers, T, std::uint32_t, 0xffffU>(space);
      return nullptr;
    case Width::w32:
      if constexpr (sizeof(T) <= 4)
        return load_from<Observers, T, std::uint32_t, 0xffffffffU>(space);
      return nullptr;
    case Width::w64: return load_from<Observers, T, std::uint64_t, ~std::uint64_t{0}>(space);
    default: return nullptr;
  }
}

template <class Observers, class T>
Handler store_of(Width width) {
  switch (width) {
    case Width::w16: return sizeof(T) <= 2 ? store<Observers, T, std::uint32_t> : nullptr;
    case Width::w32: return sizeof(T) <= 4 ? store<Observers, T, std::uint32_t> : nullptr;
    case Width::w64: return store<Observers, T, std::uint64_t>;
    default: return nullptr;
  }
}

template <class Observers>
Handler load_by_type(std::string_view type, Width width, Space space) {
  if (type == "u8" || type == "b8") return load_of<Observers, std::uint8_t>(width, space);
  if (type == "s8") return load_of<Observers, std::int8_t>(width, space);
  if (type == "u16" || type == "b16" || type == "f16" || type == "bf16")
    return load_of<Observers, std::uint16_t>(width, space);
  if (type == "s16") return load_of<Observers, std::int16_t>(width, space);
  if (type == "u32" || type == "b32" || type == "f32")
    return load_of<Observers, std::uint32_t>(width, space);
  if (type == "s32") return load_of<Observers, std::int32_t>(width, space);
  if (type == "u64" || type == "s64" || type == "b64" || type == "f64")
    return load_of<Observers, std::uint64_t>(width, space);
  return nullptr;
}

template <class Observers>
Handler store_by_type(std::string_view type, Width width) {
  if (type == "u8" || type == "b8" || type == "s8") return store_of<Observers, std::uint8_t>(width);
  if (type == "u16" || type == "b16" || type == "f16" || type == "bf16" || type == "s16")
    return store_of<Observers, std::uint16_t>(width);
  if (type == "u32" || type == "b32" || type == "f32" || type == "s32")
    return store_of<Observers, std::uint32_t>(width);
  if (type == "u64" || type == "s64" || type == "b64" || type == "f64")
    return store_of<Observers, std::uint64_t>(width);
  return nullptr;
}

}  // namespace

Handler load_handler(ObserverSet observers, std::string_view type, Width width, Space space) {
  return with_observers(observers, [&](auto set) {
    return load_by_type<typename decltype(set)::type>(type, width, space);
  });
}

Handler fill_handler(ObserverSet observers) {
  return with_observers(observers,
                        [](auto set) -> Handler { return fill<typename decltype(set)::type>; });
}

Handler store_handler(ObserverSet observers, std::string_view type, Width width) {
  return with_observers(observers, [&](auto set) {
    return store_by_type<typename decltype(set)::type>(type, width);
  });
}

}  // namespace warpwise::emulator
