// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <cstring>
#include <string>

#include "failure.h"

namespace nb = nanobind;

namespace edgeprobe::python {

Text::Text(nb::str text) { take(text); }

Text::Text(const std::optional<nb::str>& text) {
  if (text) take(*text);
}

void Text::take(nb::handle text) {
  Py_ssize_t size = 0;
  text_ = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (text_ != nullptr) {
    owner_ = nb::borrow(text);
  } else {
    PyErr_Clear();
    owner_ = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
    char* bytes = nullptr;
    if (!owner_.is_valid() || PyBytes_AsStringAndSize(owner_.ptr(), &bytes, &size) != 0)
      nb::raise_python_error();
    text_ = bytes;
  }
  if (std::strlen(text_) != static_cast<size_t>(size)) {
    fail(EDGEPROBE_USAGE, ("the text '" + std::string(text_) +
                           "' contains a NUL character, which names and texts must not have")
                              .c_str());
  }
}

}  // namespace edgeprobe::python
