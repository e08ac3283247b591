// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace edgeprobe::engine::openvino {

/// Why OpenVINO refused something, without the positions in its sources.
std::string reason(std::string_view message);

/// The result of `work`, or an error of this kind with the reason of an exception.
template <class Work>
auto attempt(ErrorKind kind, Work&& work) -> Result<decltype(work())> {
  try {
    return std::forward<Work>(work)();
  } catch (const std::exception& error) {
    return Error{kind, reason(error.what())};
  } catch (...) {
    return Error{kind, "OpenVINO threw something without a message"};
  }
}

}  // namespace edgeprobe::engine::openvino
