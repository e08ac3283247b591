// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/inputs.h"
#include "engine/native/abi.h"

namespace edgeprobe::engine::native {

/// Why one call of the library failed.
class Reason {
 public:
  char* buffer() { return text_; }
  /// Success, or an error that begins with `step`, for a call that returned `code`.
  Status of(int code, const std::string& step = "") {
    if (code == 0 && text_[0] == 0) return {};
    text_[sizeof text_ - 1] = 0;
    const std::string text = one_sentence(text_, sizeof text_);
    return Error{error_of(code), step + (text.empty() ? "it gives no reason" : text)};
  }

 private:
  char text_[EDGEPROBE_PLUGIN_MESSAGE] = "";
};

}  // namespace edgeprobe::engine::native
