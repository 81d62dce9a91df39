#pragma once

// Makes objects of plain values comparable, hashable and picklable, and gives them a repr.

#include <nanobind/nanobind.h>

#include <string>

namespace warpwise::python {

namespace nb = nanobind;

/// Adds repr, ==, hash and pickling to a class. `words_of` gives an object's constructor arguments
/// as a dict by name.
template <class T>
void add_words(nb::class_<T>& made, nb::dict (*words_of)(const T&)) {
  made.def("__repr__",
           [words_of](nb::handle_t<T> self) {
             std::string text = nb::cast<std::string>(nb::object(self.type().attr("__name__")));
             const char* before = "(";
             for (const auto& [name, value] : words_of(nb::cast<const T&>(self))) {
               text += before + nb::cast<std::string>(name) + "=" +
                       nb::cast<std::string>(nb::repr(value));
               before = ", ";
             }
             return text + ")";
           })
      .def(
          "__eq__",
          [words_of](const T& self, nb::object other) -> nb::object {
            if (!nb::isinstance<T>(other)) return nb::borrow(Py_NotImplemented);
            return nb::cast(words_of(self).equal(words_of(nb::cast<const T&>(other))));
          },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [words_of](const T& self) {
             return nb::hash(nb::tuple(nb::object(words_of(self).attr("values")())));
           })
      .def("__getstate__", [words_of](const T& self) { return words_of(self); })
      .def("__setstate__",
           [](nb::handle_t<T> self, const nb::dict& words) { self.attr("__init__")(**words); });
}

}  // namespace warpwise::python
