// SPDX-License-Identifier: Apache-2.0
#include "measurements/taken.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "measurements/json.h"
#include "measurements/keys.h"

namespace edgeprobe::measurements {
namespace {

Status take_scores(Json& object, Classification& matrix) {
  const auto list = take(object, keys::kAuc);
  if (!list) return {};
  if (!list->is_array() || list->size() != matrix.classes)
    return wrong(keys::kAuc, "is " + shown(*list) + "; expected a list with an entry for each of " +
                                 std::to_string(matrix.classes) + " classes");
  for (const Json& entry : *list) {
    const std::string at = place(matrix.scores.size());
    const auto is_in = [&](const char* key, double most) {
      return entry[key].is_number() && entry[key].get<double>() >= 0 &&
             entry[key].get<double>() <= most;
    };
    if (!entry.is_object() || !entry.contains("auc") || !entry.contains("top_5_count") ||
        !(entry["auc"].is_null() || is_in("auc", 1)) || !is_in("top_5_count", matrix.total))
      return wrong(keys::kAuc, at + " is " + shown(entry) +
                                   "; expected an object with auc (0 to 1, or null) and "
                                   "top_5_count (at most the frames)");
    matrix.scores.push_back(
        {entry["auc"].is_null() ? std::nullopt : std::optional(entry["auc"].get<double>()),
         entry["top_5_count"].get<double>()});
  }
  return {};
}

Status take_confusion(Json& object, Measurements& out) {
  const auto rows = take(object, keys::kConfusion);
  if (!rows) return {};
  EP_TRY(auto top_5, take_count(object, keys::kTop5));
  if (!rows->is_array())
    return wrong(keys::kConfusion, "is " + shown(*rows) + "; expected a list of rows");
  Classification matrix;
  matrix.classes = rows->size();
  if (matrix.classes == 0) return {};
  if (matrix.classes > kMostClasses)
    return wrong(keys::kConfusion, "has " + std::to_string(matrix.classes) + " rows; at most " +
                                       std::to_string(kMostClasses) + " classes are read");
  if (!out.class_names.empty() && out.class_names.size() != matrix.classes)
    return wrong(keys::kConfusion, "has " + std::to_string(matrix.classes) + " rows and '" +
                                       keys::kClasses + "' " +
                                       std::to_string(out.class_names.size()) + " names");
  for (std::size_t row = 0; row < rows->size(); ++row) {
    EP_TRY(auto counts, numbers_from(keys::kConfusion, (*rows)[row], kMost, place(row)));
    if (counts.size() != matrix.classes)
      return wrong(keys::kConfusion, place(row) + " has " + std::to_string(counts.size()) +
                                         " values; expected " + std::to_string(matrix.classes) +
                                         ", one for each class");
    matrix.confusion.insert(matrix.confusion.end(), counts.begin(), counts.end());
  }
  for (const double count : matrix.confusion) matrix.total += count;
  matrix.top_5_count = top_5;
  if (matrix.top_5_count && *matrix.top_5_count > matrix.total)
    return wrong(keys::kTop5, "is " + number(*matrix.top_5_count, 15) + " of " +
                                  number(matrix.total, 15) + " frames in the confusion matrix");
  EP_CHECK(take_scores(object, matrix));
  out.classification = std::move(matrix);
  return {};
}

Result<std::vector<Detection>> detections_from(const std::string& key, const Json& list) {
  std::vector<Detection> found;
  if (!list.is_array()) return wrong(key, "is " + shown(list) + "; expected a list");
  for (const Json& entry : list) {
    const std::string at = place(found.size());
    const auto good = [&](std::size_t i) {
      return (entry[i].is_number() && std::isfinite(entry[i].get<double>())) ||
             entry[i].is_boolean();
    };
    if (!entry.is_array() || entry.size() < 2 || !good(0) || !good(1) ||
        (entry.size() > 2 && !good(2)))
      return wrong(key, at + " is " + shown(entry) + "; expected [score, is right, overlap]");
    const auto value = [&](std::size_t i) {
      return entry[i].is_boolean() ? (entry[i].get<bool>() ? 1.0 : 0.0) : entry[i].get<double>();
    };
    found.push_back({value(0), value(1) != 0, entry.size() > 2 ? value(2) : 0});
  }
  return found;
}

Status take_detection(Json& object, Measurements& out) {
  // Classes that are not in class_names come last, by name.
  std::vector<std::string> names = out.class_names, seen;
  for (const auto& entry : object.items())
    for (const std::string prefix : {keys::kDetections, keys::kThere})
      if (entry.key().starts_with(prefix)) seen.push_back(entry.key().substr(prefix.size()));
  if (seen.empty()) return {};
  std::sort(seen.begin(), seen.end());
  std::vector<std::string> known = names;
  std::sort(known.begin(), known.end());
  for (std::string& name : seen) {
    if (std::binary_search(known.begin(), known.end(), name)) continue;
    names.push_back(name);
    known.insert(std::upper_bound(known.begin(), known.end(), name), std::move(name));
  }
  for (const std::string& name : names) {
    DetectedClass one{name, {}, 0};
    EP_TRY(auto there, take_count(object, keys::kThere + name));
    one.there = there.value_or(0);
    if (const auto list = take(object, keys::kDetections + name)) {
      EP_TRY(one.found, detections_from(keys::kDetections + name, *list));
    }
    if (one.there > 0 || !one.found.empty()) out.detection.push_back(std::move(one));
  }
  return {};
}

Status take_metrics(Json& object, Measurements& out) {
  const auto list = take(object, keys::kMetrics);
  if (!list) return {};
  if (!list->is_array()) return wrong(keys::kMetrics, "is " + shown(*list) + "; expected a list");
  const auto is_number = [](const Json& entry, const char* key) {
    return entry.contains(key) && entry[key].is_number() && std::isfinite(entry[key].get<double>());
  };
  const auto is_interval = [](const Json& ci) {
    return ci.is_array() && ci.size() == 2 && ci[0].is_number() && ci[1].is_number();
  };
  for (const Json& entry : *list) {
    const std::string at = place(out.metrics.size());
    if (!entry.is_object() || !is_number(entry, "value") || !is_number(entry, "frames") ||
        !entry.contains("name") || !entry["name"].is_string() ||
        !entry.contains("higher_is_better") || !entry["higher_is_better"].is_boolean())
      return wrong(keys::kMetrics,
                   at + " is " + shown(entry) +
                       "; expected an object with name, value, frames and higher_is_better");
    UserFigure one{entry["name"].get<std::string>(), entry["value"].get<double>(), std::nullopt,
                   entry["frames"].get<double>(), entry["higher_is_better"].get<bool>()};
    if (entry.contains("ci95") && is_interval(entry["ci95"]))
      one.ci95 = {entry["ci95"][0].get<double>(), entry["ci95"][1].get<double>()};
    out.metrics.push_back(std::move(one));
  }
  return {};
}

}  // namespace

Status take_quality(Json& object, Measurements& out) {
  EP_TRY(out.class_names, take_texts(object, keys::kClasses));
  EP_CHECK(take_confusion(object, out));
  EP_CHECK(take_metrics(object, out));
  return take_detection(object, out);
}

}  // namespace edgeprobe::measurements
