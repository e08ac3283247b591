// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace edgeprobe::python {

void fail(edgeprobe_status status, const char* sentence) {
  const nb::object sentence_text = nb::steal(
      PyUnicode_DecodeUTF8(sentence, static_cast<Py_ssize_t>(strlen(sentence)), "replace"));
  const nb::object error = nb::module_::import_("edgeprobe.errors")
                               .attr("error_of_status")(static_cast<int>(status), sentence_text);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  nb::raise_python_error();
}

void check(edgeprobe_status status) {
  if (status != EDGEPROBE_OK && status != EDGEPROBE_OFF) fail(status, edgeprobe_last_error());
}

}  // namespace edgeprobe::python
