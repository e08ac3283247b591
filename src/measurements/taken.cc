// SPDX-License-Identifier: Apache-2.0
#include "measurements/taken.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace edgeprobe::measurements {

Error wrong(const std::string& key, const std::string& what) {
  return {ErrorKind::kCorrupt, "'" + sanitized(key) + "' " + what};
}

std::string shown(const Json& value) {
  return sanitized(value.dump(-1, ' ', true, Json::error_handler_t::replace), 40);
}

std::string place(std::size_t index) { return "[" + std::to_string(index) + "]"; }

std::optional<Json> take(Json& object, const std::string& key) {
  const auto at = object.find(key);
  if (at == object.end()) return std::nullopt;
  Json value = std::move(*at);
  object.erase(at);
  return value;
}

Result<std::vector<double>> numbers_from(const std::string& key, const Json& list, double most,
                                         const std::string& where) {
  if (!list.is_array())
    return wrong(key, where + "is " + shown(list) + "; expected a list of numbers");
  std::vector<double> values;
  values.reserve(list.size());
  for (const Json& entry : list) {
    const std::string at = where + place(values.size());
    if (!entry.is_number()) return wrong(key, at + " is " + shown(entry) + "; expected a number");
    const double value = entry.get<double>();
    if (!std::isfinite(value) || value < 0 || value > most)
      return wrong(key, at + " is " + shown(entry) + "; expected " +
                            (most == kMostPercent ? "0 to 100"
                             : value < 0          ? "0 or more"
                                                  : "at most " + number(most)));
    values.push_back(value);
  }
  return values;
}

Status take_numbers(Json& object, const std::string& key, double most,
                    std::vector<double>& values) {
  const auto list = take(object, key);
  if (!list) return {};
  EP_TRY(values, numbers_from(key, *list, most));
  return {};
}

Result<std::string> take_text(Json& object, const char* key) {
  const auto value = take(object, key);
  if (!value) return std::string();
  if (!value->is_string()) return wrong(key, "is " + shown(*value) + "; expected a text");
  return value->get<std::string>();
}

Result<std::vector<std::string>> take_texts(Json& object, const char* key) {
  const auto list = take(object, key);
  std::vector<std::string> texts;
  if (!list) return texts;
  if (!list->is_array()) return wrong(key, "is " + shown(*list) + "; expected a list of texts");
  for (const Json& entry : *list) {
    // Kenning's class names may be numbers.
    if (!entry.is_string() && !entry.is_number())
      return wrong(key, place(texts.size()) + " is " + shown(entry) + "; expected a text");
    texts.push_back(entry.is_string() ? entry.get<std::string>() : entry.dump());
  }
  return texts;
}

Result<std::optional<double>> take_count(Json& object, const std::string& key) {
  const auto value = take(object, key);
  if (!value) return std::optional<double>();
  const double count = value->is_number() ? value->get<double>() : -1;
  if (!(count >= 0) || count > kMost)
    return wrong(key, "is " + shown(*value) + "; expected a number from 0 to " + number(kMost));
  return std::optional(count);
}

Status same_length(const std::string& key, std::size_t count, const std::string& other,
                   std::size_t others) {
  if (count == others) return {};
  return wrong(key, "has " + std::to_string(count) + " values and '" + other + "' " +
                        std::to_string(others) + "; each value has one moment");
}

}  // namespace edgeprobe::measurements
