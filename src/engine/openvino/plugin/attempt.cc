// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/plugin/attempt.h"

#include <regex>

#include "engine/inputs.h"

namespace edgeprobe::engine::openvino {

std::string reason(std::string_view message) {
  static const std::regex place(
      R"((Exception from \S+:\d+:)|(Check '.*?' failed at \S+:\d+:)|(FrontEnd API failed with \w+:))");
  constexpr std::size_t kLongest = 2047;  // The standard library's regex recurses for each letter.
  const std::string lines(message.substr(0, kLongest));
  const std::string text = one_sentence(std::regex_replace(lines, place, " "));
  const auto start = text.find_first_not_of(' ');
  return start == std::string::npos ? "OpenVINO gives no reason" : text.substr(start);
}

}  // namespace edgeprobe::engine::openvino
