// SPDX-License-Identifier: Apache-2.0
// edgeprobe/onnxruntime.hpp: records the inputs and outputs of an Ort::Session.
//
//     frame.start(input_names, &input, 1);
//     auto outputs = session.Run(Ort::RunOptions{nullptr}, input_names, &input, 1, output_names,
//     1);
//     frame.stop(output_names, outputs);
//
// Include it after onnxruntime_cxx_api.h. The arguments are those of Run(). The values may also be
// a std::vector<Ort::Value>; the names a container of const char* or std::string. For values that
// are not recorded, and why, see edgeprobe/onnxruntime.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>

#include "edgeprobe.hpp"
#include "edgeprobe/onnxruntime.h"

namespace edgeprobe {
inline namespace v1 {
namespace detail {

inline const char* ort_name(const char* name) noexcept { return name; }
inline const char* ort_name(const std::string& name) noexcept { return name.c_str(); }
template <class Pointer>
auto ort_name(const Pointer& name) noexcept -> decltype(static_cast<const char*>(name.get())) {
  return name.get();  // Ort::AllocatedStringPtr
}

template <class Names>
Status log_ort(const Frame& frame, const Names& names, const Ort::Value* values, std::size_t count,
               edgeprobe_stage stage) noexcept {
  edgeprobe_frame* const handle = frame.handle();
  if (edgeprobe_frame_wants(handle, stage) == 0) return Status::ok;
  const OrtApi& ort = Ort::GetApi();
  edgeprobe_status result = EDGEPROBE_OK;
  for (std::size_t i = 0; i < count; ++i) {
    // Older versions convert only from non-const.
    const OrtValue* const value = const_cast<Ort::Value&>(values[i]);
    result = edgeprobe_first(
        result, edgeprobe_ort_value(handle, &ort, value, ort_name(std::data(names)[i]), stage,
                                    static_cast<std::int32_t>(i)));
  }
  return status(result);
}

template <class Name>
struct OrtNames {  // A pointer to names, as a container of unknown length.
  const Name* names;
  const Name* data() const noexcept { return names; }
};

template <class Values>
using IfOrtValues = std::enable_if_t<std::is_same_v<
    std::remove_cv_t<std::remove_reference_t<decltype(*std::data(std::declval<const Values&>()))>>,
    Ort::Value>>;

}  // namespace detail

/// Used by Frame::start() and stop(). Names as a pointer, values as a pointer and a count, as for
/// Run().
template <class Name>
Status log_inputs(const Frame& frame, const Name* names, const Ort::Value* values,
                  std::size_t count) noexcept {
  return detail::log_ort(frame, detail::OrtNames<Name>{names}, values, count,
                         EDGEPROBE_STAGE_MODEL_INPUT);
}
template <class Name>
Status log_outputs(const Frame& frame, const Name* names, const Ort::Value* values,
                   std::size_t count) noexcept {
  return detail::log_ort(frame, detail::OrtNames<Name>{names}, values, count,
                         EDGEPROBE_STAGE_MODEL_OUTPUT);
}
/// Names as a pointer or a container, values as a container; as many names as values.
template <class Name, class Values, class = detail::IfOrtValues<Values>>
Status log_inputs(const Frame& frame, const Name* names, const Values& values) noexcept {
  return log_inputs(frame, names, std::data(values), std::size(values));
}
template <class Name, class Values, class = detail::IfOrtValues<Values>>
Status log_outputs(const Frame& frame, const Name* names, const Values& values) noexcept {
  return log_outputs(frame, names, std::data(values), std::size(values));
}
template <class Names, class Values, class = detail::IfOrtValues<Values>,
          class = decltype(std::size(std::declval<const Names&>()))>
Status log_inputs(const Frame& frame, const Names& names, const Values& values) noexcept {
  return log_inputs(frame, std::data(names), std::data(values), std::size(values));
}
template <class Names, class Values, class = detail::IfOrtValues<Values>,
          class = decltype(std::size(std::declval<const Names&>()))>
Status log_outputs(const Frame& frame, const Names& names, const Values& values) noexcept {
  return log_outputs(frame, std::data(names), std::data(values), std::size(values));
}

}  // namespace v1
}  // namespace edgeprobe
