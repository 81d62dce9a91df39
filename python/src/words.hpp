#pragma once

// Makes objects of plain values comparable, hashable and picklable, and gives them a repr.

#include <nanobind/nanobind.h>

#include <string>

namespace warpwise::python {

namespace nb = nanobind;

/// Adds repr, ==, hash and pickling to a class. `constructor_arguments` gives an object's
/// constructor arguments as a dict by name.
template <class T>
void add_value_methods(nb::class_<T>& made, nb::dict (*constructor_arguments)(const T&)) {
  made.def("__repr__",
           [constructor_arguments](nb::handle_t<T> self) {
             std::string text = nb::cast<std::string>(nb::object(self.type().attr("__name__")));
             const char* before = "(";
             for (const auto& [name, value] : constructor_arguments(nb::cast<const T&>(self))) {
               text += before + nb::cast<std::string>(name) + "=" +
                       nb::cast<std::string>(nb::repr(value));
               before = ", ";
             }
             return text + ")";
           })
      .def(
          "__eq__",
          [constructor_arguments](const T& self, nb::object other) -> nb::object {
            if (!nb::isinstance<T>(other)) return nb::borrow(Py_NotImplemented);
            return nb::cast(constructor_arguments(self).equal(
                constructor_arguments(nb::cast<const T&>(other))));
          },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [constructor_arguments](const T& self) {
             return nb::hash(nb::tuple(nb::object(constructor_arguments(self).attr("values")())));
           })
      .def("__getstate__",
           [constructor_arguments](const T& self) { return constructor_arguments(self); })
      .def("__setstate__",
           [](nb::handle_t<T> self, const nb::dict& words) { self.attr("__init__")(**words); });
}

}  // namespace warpwise::python
