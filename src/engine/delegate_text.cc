// SPDX-License-Identifier: Apache-2.0
#include "engine/options.h"

#include "core/text.h"

namespace edgeprobe::engine {

Result<Delegate> delegate_from_text(const std::string& text) {
  const std::size_t query = text.find('?');
  std::string head = text.substr(0, query);
  Delegate delegate;
  const std::size_t colon = head.find(':');
  const std::string word = head.substr(0, colon);
  const bool named = word == "gpu" || word == "nnapi" || word == "external";
  if (named) {
    head = colon == std::string::npos ? "" : head.substr(colon + 1);
    if (head.empty() && (colon != std::string::npos || word == "external"))
      return Error{ErrorKind::kUsage, "'" + sanitized(text) + "' names no library after the colon"};
    if (word == "gpu") delegate.kind = Delegate::Kind::kGpu;
    if (word == "nnapi") delegate.kind = Delegate::Kind::kNnapi;
  } else if (head.find('/') == std::string::npos && head.find(".so") == std::string::npos) {
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(text) + "': expected gpu, nnapi, or external:LIB.so"};
  }
  delegate.library = head;
  std::string rest = query == std::string::npos ? "" : text.substr(query + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string pair = rest.substr(0, end);
    const std::size_t equals = pair.find('=');
    delegate.options.emplace_back(pair.substr(0, equals),
                                  equals == std::string::npos ? "" : pair.substr(equals + 1));
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return delegate;
}

}  // namespace edgeprobe::engine
