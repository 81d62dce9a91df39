#include "warpwise/primitives/find/find.hpp"

#include "warpwise/primitives/find/backends.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

template <class View>
void validate(const View& templ, const View& image, Measure measure) {
  if (measure > Measure::zncc)
    throw InvalidArgument("find: there is no measure of number " +
                          std::to_string(static_cast<int>(measure)));
  detail::require_type("find", "the template", templ, ElementType::u8, 1);
  detail::require_type("find", "the image", image, ElementType::u8, 1);
  if (templ.width() > image.width() || templ.height() > image.height()) {
    throw InvalidArgument("find: the template is " +
                          detail::size_text(templ.width(), templ.height()) + ", the image " +
                          detail::size_text(image.width(), image.height()) +
                          "; the template must fit into it");
  }
  if (templ.width() > max_find_area / templ.height()) {
    throw InvalidArgument("find: the template is " +
                          detail::size_text(templ.width(), templ.height()) +
                          "; it may have up to " + std::to_string(max_find_area) + " pixels");
  }
}

template <class View, class Map>
void validate_map(const View& templ, const View& image, const Map& map, Measure measure) {
  const std::int64_t width = image.width() - templ.width() + 1;
  const std::int64_t height = image.height() - templ.height() + 1;
  if (map.width() != width || map.height() != height) {
    throw InvalidArgument("find: the map is " + detail::size_text(map.width(), map.height()) +
                          ", it must be " + detail::size_text(width, height));
  }
  if (map.type() != ElementType::u32 || !least_is_best(measure)) {
    detail::require_type("find", "the map", map, ElementType::f32, 1);
  } else {
    detail::require_type("find", "the map", map, ElementType::u32, 1);
    // max_find_area keeps sad within 32 bits.
    if (measure == Measure::ssd && templ.width() * templ.height() > 0xffffffff / (255 * 255)) {
      throw InvalidArgument("find: ssd over a template of " +
                            detail::size_text(templ.width(), templ.height()) +
                            " may exceed the map's 32 bits; an f32 map holds the rounded sum");
    }
  }
  detail::require_disjoint("find", templ, map);
  detail::require_disjoint("find", image, map);
}

void validate_best(const ConstDeviceView& input, const DeviceView& best) {
  if (best.type() != ElementType::u8 || best.channels() != 1 || best.height() != 1 ||
      best.width() != std::int64_t{sizeof(Finding)}) {
    throw InvalidArgument("find: the best place needs a view of " +
                          std::to_string(sizeof(Finding)) + "x1 u8, not " +
                          detail::size_text(best.width(), best.height()) + " of " +
                          detail::type_text(best.type(), best.channels()));
  }
  detail::require_disjoint("find", input, best);
}

}  // namespace

Finding find(ConstHostView templ, ConstHostView image, Measure measure) {
  validate(templ, image, measure);
  return detail::find::find_cpu(templ, image, {}, measure);
}

Finding find(ConstHostView templ, ConstHostView image, HostView map, Measure measure) {
  validate(templ, image, measure);
  validate_map(templ, image, map, measure);
  return detail::find::find_cpu(templ, image, map, measure);
}

void find(ConstDeviceView templ, ConstDeviceView image, DeviceView best, Measure measure,
          gpu::StreamHandle stream) {
  validate(templ, image, measure);
  validate_best(templ, best);
  validate_best(image, best);
  detail::find::find_cuda(templ, image, best, {}, measure, stream);
}

void find(ConstDeviceView templ, ConstDeviceView image, DeviceView best, DeviceView map,
          Measure measure, gpu::StreamHandle stream) {
  validate(templ, image, measure);
  validate_best(templ, best);
  validate_best(image, best);
  validate_best(map, best);
  validate_map(templ, image, map, measure);
  detail::find::find_cuda(templ, image, best, map, measure, stream);
}

}  // namespace warpwise
