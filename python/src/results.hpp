#pragma once

// Classes of results that only C++ makes. They are compared, shown and pickled by the attributes
// that Python sees.

#include <nanobind/nanobind.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpwise::python {

namespace nb = nanobind;

/// Binds a class of results. Its attributes are added one by one; Python sees nothing else.
template <class T>
class ResultClass {
 public:
  ResultClass(nb::module_& module, const char* name, const char* text)
      : made_(module, name, text) {}

  /// Adds a data member as an attribute. nanobind must be able to cast its type both ways.
  template <auto Member, class... Extra>
  ResultClass& member(const char* name, const Extra&... extra) {
    made_.def_ro(name, Member, extra...);
    attributes_.push_back({name, [](T& self, nb::handle value) {
                             using Type = std::remove_reference_t<decltype(self.*Member)>;
                             self.*Member = nb::cast<Type>(value);
                           }});
    return *this;
  }

  /// Adds an attribute of another type in Python: `get` converts to it, `set` converts back.
  template <class Get, class... Extra>
  ResultClass& property(const char* name, const Get& get, void (*set)(T&, nb::handle),
                        const Extra&... extra) {
    made_.def_prop_ro(name, get, extra...);
    attributes_.push_back({name, set});
    return *this;
  }

  /// Adds ==, hash and pickling, and a repr that shows all attributes.
  nb::class_<T>& finish() { return finish(shown()); }
  /// Adds the same methods, but with the given repr.
  template <class Repr>
  nb::class_<T>& finish(const Repr& repr) {
    const auto values = [attributes = attributes_](nb::handle_t<T> self) {
      nb::list list;
      for (const Attribute& each : attributes) list.append(self.attr(each.name));
      return nb::tuple(list);
    };
    made_.def("__repr__", repr)
        .def(
            "__eq__",
            [values](nb::handle_t<T> self, nb::object other) -> nb::object {
              if (!nb::isinstance<T>(other)) return nb::borrow(Py_NotImplemented);
              return nb::cast(values(self).equal(values(nb::handle_t<T>(other))));
            },
            nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__",
             [shown = shown()](nb::handle_t<T> self) { return nb::hash(nb::cast(shown(self))); })
        .def("__getstate__", values)
        .def("__setstate__", [attributes = attributes_](T* self, const nb::tuple& state) {
          T again;
          for (std::size_t i = 0; i < attributes.size(); ++i) attributes[i].set(again, state[i]);
          new (self) T(std::move(again));
        });
    return made_;
  }

 private:
  struct Attribute {
    const char* name;
    void (*set)(T&, nb::handle);
  };

  auto shown() const {
    return [attributes = attributes_](nb::handle_t<T> self) {
      std::string text = nb::cast<std::string>(nb::object(self.type().attr("__name__")));
      const char* before = "(";
      for (const Attribute& each : attributes) {
        text += std::string(before) + each.name + "=" +
                nb::cast<std::string>(nb::repr(self.attr(each.name)));
        before = ", ";
      }
      return text + ")";
    };
  }

  nb::class_<T> made_;
  std::vector<Attribute> attributes_;
};

}  // namespace warpwise::python
