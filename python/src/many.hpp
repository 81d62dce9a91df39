#pragma once

// Calls on lists of arrays.

#include <deque>
#include <optional>
#include <vector>

#include "call.hpp"

namespace warpwise::python {

/// Returns true if an argument is a list or tuple of arrays rather than one array.
inline bool is_list(nb::handle object) {
  return PyList_Check(object.ptr()) != 0 || PyTuple_Check(object.ptr()) != 0;
}

using Objects = std::vector<nb::object>;

inline Objects objects_of(nb::handle list) {
  Objects objects;
  for (const nb::handle each : list) objects.push_back(nb::borrow(each));
  return objects;
}

/// Returns the objects of the list `out`, or nothing if it is None.
inline std::optional<Objects> outs_of(nb::handle out) {
  if (out.is_none()) return {};
  if (!is_list(out)) throw InvalidArgument("src is a list of arrays, but out is not a list");
  return objects_of(out);
}

/// Names of a call's arguments, for messages.
struct Names {
  const char* src = "src";
  const char* out = "out";
};

/// Arrays at stable addresses, because an Array cannot be moved.
using Arrays = std::deque<Array>;

/// Calls run(views, from, to, stream...) as call() does. All arrays must be in one memory. If
/// `outs` is empty, make(array, object, stream) makes the result for each array.
///
/// \throws InvalidArgument  the numbers of srcs and outs differ, or an array is no image or is in
///                          another memory than the first one; messages use `names`
template <class Make, class Run>
Objects run_many(const Objects& srcs, std::optional<Objects> outs, nb::handle stream,
                 const Make& make, const Run& run, const Names& names = {}) {
  if (outs && outs->size() != srcs.size())
    throw InvalidArgument(std::string(names.src) + " has " + std::to_string(srcs.size()) +
                          " images, but " + std::string(names.out) + " has " +
                          std::to_string(outs->size()));
  if (srcs.empty()) return {};
  const auto at = stream_of(stream, srcs.front());
  Objects made;
  Arrays from, to;
  for (std::size_t i = 0; i < srcs.size(); ++i) {
    from.emplace_back(srcs[i], names.src, false, at);
    made.push_back(outs ? (*outs)[i] : make(from.back(), srcs[i], at));
    to.emplace_back(made.back(), names.out, true, at);
    require_same_memory(from.front(), from.back());
    require_same_memory(from.front(), to.back());
  }
  call(from.front(), at, [&](auto views, auto... on) { run(views, from, to, on...); });
  if (!outs) {
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = to_jax_if_needed(std::move(made[i]), nb::none(), from[i]);
  }
  return made;
}

template <class View>
std::vector<View> views_of(const Arrays& arrays) {
  std::vector<View> views;
  for (const Array& each : arrays) views.push_back(each.view<View>());
  return views;
}

/// Calls a function of one image or of a list of images. run(in, into, stream...) takes two views,
/// or two vectors of views.
template <class Make, class Run>
nb::any over_images(const nb::any& src, const nb::any& out, const nb::any& stream, const Make& make,
                    const Run& run) {
  if (is_list(src)) {
    const Objects srcs = objects_of(src);
    return nb::borrow<nb::any>(nb::cast(
        run_many(srcs, outs_of(out), stream, make,
                 [&](auto views, const Arrays& from, const Arrays& to, auto... on) {
                   using V = decltype(views);
                   const auto in = views_of<typename V::In>(from);  // its errors come first
                   run(in, views_of<typename V::Out>(to), on...);
                 })));
  }
  const auto at = stream_of(stream, src);
  const Array from(src, "src", false, at);
  nb::object made = out.is_none() ? make(from, src, at) : nb::object(out);
  const Array to(made, "out", true, at);
  require_same_memory(from, to);
  call(from, at, [&](auto views, auto... on) {
    using V = decltype(views);
    const auto in = from.view<typename V::In>();  // first, so that its errors come first
    run(in, to.view<typename V::Out>(), on...);
  });
  return to_jax_if_needed(std::move(made), out, from);
}

}  // namespace warpwise::python
