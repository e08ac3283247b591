// SPDX-License-Identifier: Apache-2.0
#include "model/attributes.h"

#include "core/text.h"

namespace edgeprobe::model {
namespace {

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(float value) { return number(value, 6); }
std::string text_of(const std::string& value) { return sanitized(value); }
std::string text_of(const OpaqueAttribute& value) { return value.kind; }
template <class T>
std::string text_of(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (&value == values.data() ? "" : ", ") + text_of(value);
  return "[" + text + "]";
}

}  // namespace

std::string to_text(const AttributeValue& value) {
  return std::visit([](const auto& held) { return text_of(held); }, value);
}

}  // namespace edgeprobe::model
