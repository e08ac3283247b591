// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <cstring>
#include <mutex>

#include "failure.h"
#include "text.h"

namespace nb = nanobind;

namespace edgeprobe::python {
namespace {

// An exception cannot pass through the C library: it waits here until the call returns.
thread_local PyObject* redaction_failure = nullptr;
thread_local bool within_hook = false;

bool redacted(PyObject* hook, const char* name, void* bytes, size_t size) {
  const nb::object shown_name = nb::steal(
      PyUnicode_DecodeUTF8(name, static_cast<Py_ssize_t>(std::strlen(name)), "surrogateescape"));
  // The hook may keep its argument, so it gets memory owned by Python.
  const nb::object copy = nb::steal(PyByteArray_FromStringAndSize(static_cast<const char*>(bytes),
                                                                  static_cast<Py_ssize_t>(size)));
  if (!shown_name.is_valid() || !copy.is_valid()) return false;
  const nb::object done =
      nb::steal(PyObject_CallFunctionObjArgs(hook, shown_name.ptr(), copy.ptr(), nullptr));
  if (!done.is_valid()) return false;
  if (PyByteArray_Size(copy.ptr()) != static_cast<Py_ssize_t>(size)) {
    PyErr_SetString(PyExc_ValueError, "the redaction hook changed the size of the raw input");
    return false;
  }
  std::memcpy(bytes, PyByteArray_AsString(copy.ptr()), size);
  return true;
}

void redact(void* hook, const char* name, void* bytes, size_t size) {
  const nb::gil_scoped_acquire locked;
  within_hook = true;
  const bool is_redacted = redacted(static_cast<PyObject*>(hook), name, bytes, size);
  within_hook = false;
  if (is_redacted) return;
  std::memset(bytes, 0, size);  // Data that could not be redacted must not be kept.
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  Py_XDECREF(redaction_failure);
  redaction_failure = value;
}

}  // namespace

void raise_redaction_failure() {
  if (redaction_failure == nullptr) return;
  const nb::object error = nb::steal(redaction_failure);
  redaction_failure = nullptr;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  nb::raise_python_error();
}

Probe::Probe(nb::object path, const edgeprobe_options& options, nb::object redact_hook)
    : waits_(options.wait_when_full != 0), redact_(std::move(redact_hook)) {
  const nb::object bytes = nb::steal(PyObject_CallFunctionObjArgs(
      nb::module_::import_("os").attr("fsencode").ptr(), path.ptr(), nullptr));
  char* file = nullptr;
  // Without a size argument, an embedded NUL is an error.
  if (!bytes.is_valid() || PyBytes_AsStringAndSize(bytes.ptr(), &file, nullptr) != 0)
    nb::raise_python_error();
  edgeprobe_options all = options;
  if (!redact_.is_none()) {
    all.redact = redact;
    all.redact_context = redact_.ptr();
  }
  edgeprobe_status status = EDGEPROBE_OK;
  {
    const nb::gil_scoped_release unlocked;
    status = edgeprobe_try_open(file, &all, &handle_);
  }
  if (status != EDGEPROBE_OK) fail(status, edgeprobe_last_error());
}

Probe::~Probe() {
  // No other reference to this object exists; in a forked child, a thread that no longer exists may
  // hold the guard.
  const nb::gil_scoped_release unlocked;
  const std::unique_lock lock(guard_, std::try_to_lock);
  if (lock && handle_ != nullptr) edgeprobe_close(handle_, nullptr);
}

void Probe::fail_closed() const { fail(EDGEPROBE_USAGE, "the probe is closed"); }

void Probe::describe(nb::str key, nb::str value) {
  const Text key_text(key), value_text(value);
  check(with_handle([&](edgeprobe_probe* probe) {
    return edgeprobe_describe(probe, key_text.c_str(), value_text.c_str());
  }));
}

void Probe::mark(nb::str name, std::optional<nb::str> text) {
  const Text name_text(name), what(text);
  check(with_handle([&](edgeprobe_probe* probe) {
    return edgeprobe_mark(probe, name_text.c_str(), what.c_str());
  }));
}

void Probe::assert_that(nb::str name, nb::str wrong) {
  const Text name_text(name), what(wrong);
  check(with_handle([&](edgeprobe_probe* probe) {
    return edgeprobe_assert_that(probe, name_text.c_str(), what.c_str());
  }));
}

void Probe::sensor(nb::str name, const std::vector<double>& values, nb::str unit) {
  const Text name_text(name), unit_text(unit);
  check(with_handle([&](edgeprobe_probe* probe) {
    return edgeprobe_sensor(probe, name_text.c_str(), values.data(), values.size(),
                            unit_text.c_str());
  }));
}

void Probe::sensor_absent(nb::str name, nb::str unit, nb::str reason) {
  const Text name_text(name), unit_text(unit), why(reason);
  check(with_handle([&](edgeprobe_probe* probe) {
    return edgeprobe_sensor_absent(probe, name_text.c_str(), unit_text.c_str(), why.c_str());
  }));
}

void Probe::flush() {
  check(with_handle([](edgeprobe_probe* probe) {
    const nb::gil_scoped_release unlocked;
    return edgeprobe_flush(probe);
  }));
}

edgeprobe_statistics Probe::statistics() {
  edgeprobe_statistics now{};
  now.struct_size = sizeof now;
  edgeprobe_status status = EDGEPROBE_OK;
  {
    const nb::gil_scoped_release unlocked;  // close() may be running, and takes time.
    const std::shared_lock lock(guard_);
    if (handle_ == nullptr) return last_;
    status = edgeprobe_statistics_now(handle_, &now);
  }
  check(status);
  return now;
}

edgeprobe_statistics Probe::close() {
  if (within_hook)
    fail(EDGEPROBE_USAGE,
         "a redaction hook cannot close the probe: the call around it is still under way");
  const edgeprobe_status status = finish();
  redact_ = nb::none();  // A hook may refer to its probe: the cycle would never be freed.
  check(status);
  return last_;
}

edgeprobe_status Probe::finish() {
  // Calls of other threads may need the interpreter (a redaction hook) before they release the
  // guard.
  closing_.store(true, std::memory_order_release);
  const nb::gil_scoped_release unlocked;
  const std::unique_lock lock(guard_);
  if (handle_ == nullptr) return EDGEPROBE_OK;
  last_.struct_size = sizeof last_;
  const edgeprobe_status status = edgeprobe_close(handle_, &last_);
  handle_ = nullptr;
  return status;
}

}  // namespace edgeprobe::python
