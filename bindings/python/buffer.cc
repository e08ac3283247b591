// SPDX-License-Identifier: Apache-2.0
#include "buffer.h"

#include <string>

#include "failure.h"

namespace edgeprobe::python {
namespace {

edgeprobe_dtype signed_of(Py_ssize_t size) {
  return size == 1   ? EDGEPROBE_INT8
         : size == 2 ? EDGEPROBE_INT16
         : size == 4 ? EDGEPROBE_INT32
                     : EDGEPROBE_INT64;
}

edgeprobe_dtype unsigned_of(Py_ssize_t size) {
  return size == 1   ? EDGEPROBE_UINT8
         : size == 2 ? EDGEPROBE_UINT16
         : size == 4 ? EDGEPROBE_UINT32
                     : EDGEPROBE_UINT64;
}

}  // namespace

Buffer::Buffer(nanobind::handle object, int flags, bool throws) {
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) return;
  if (throws) nanobind::raise_python_error();
  PyErr_Clear();
  view_.obj = nullptr;
}

Buffer Buffer::dense(nanobind::handle object) {
  return {object, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT, true};
}

Buffer Buffer::dense_if(nanobind::handle object) {
  return {object, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT, false};
}

Buffer Buffer::strided(nanobind::handle object) {
  return {object, PyBUF_STRIDES | PyBUF_FORMAT, true};
}

std::optional<edgeprobe_dtype> Buffer::known_dtype() const {
  const char* format = view_.format != nullptr ? view_.format : "B";
  const bool foreign = (*format == '>' || *format == '!') && view_.itemsize > 1;
  const char* letter = format;
  if (*letter == '@' || *letter == '=' || *letter == '<' || *letter == '>' || *letter == '!')
    ++letter;
  if (!foreign && letter[0] != '\0' && letter[1] == '\0') {
    switch (*letter) {
      case 'f': return EDGEPROBE_FLOAT32;
      case 'e': return EDGEPROBE_FLOAT16;
      case 'd': return EDGEPROBE_FLOAT64;
      case '?': return EDGEPROBE_BOOL;
      case 'b':
      case 'h':
      case 'i':
      case 'l':
      case 'q':
      case 'n': return signed_of(view_.itemsize);
      case 'B':
      case 'H':
      case 'I':
      case 'L':
      case 'Q':
      case 'N': return unsigned_of(view_.itemsize);
      default: break;
    }
  }
  return std::nullopt;
}

edgeprobe_dtype Buffer::dtype() const {
  if (const auto known = known_dtype()) return *known;
  const char* format = view_.format;
  fail(EDGEPROBE_USAGE, ("elements of the buffer format '" + std::string(format) +
                         "' cannot be recorded; expected numbers such as float32 or uint8")
                            .c_str());
}

}  // namespace edgeprobe::python
