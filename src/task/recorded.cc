// SPDX-License-Identifier: Apache-2.0
#include "task/recorded.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/text.h"

namespace edgeprobe::task {
namespace {

constexpr const char* kClassSet = "class_set";

/// Parses a JSON list of class indices; empty for anything else.
std::optional<Annotation> class_set(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array() || json.empty()) return std::nullopt;
  std::vector<int> classes;
  for (const nlohmann::json& one : json) {
    if (!one.is_number_unsigned() ||
        one.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
      return std::nullopt;
    classes.push_back(one.get<int>());
  }
  return annotation_of(std::move(classes));
}

}  // namespace

std::optional<Annotation> recorded(const trace::FrameRecord& record) {
  if (record.annotation && record.annotation->kind == kClassSet)
    if (auto known = class_set(record.annotation->value)) return known;
  if (record.annotation)
    if (auto known = annotation_from_json(record.annotation->kind, record.annotation->value))
      return known;
  if (record.label) return ClassLabel{*record.label};
  if (record.annotation) return OtherAnnotation{record.annotation->kind, record.annotation->value};
  return std::nullopt;
}

trace::FrameRecord annotated(trace::FrameRecord record,
                             const std::optional<Annotation>& annotation) {
  record.label.reset();
  record.annotation.reset();
  if (!annotation) return record;
  if (const auto* label = std::get_if<ClassLabel>(&*annotation)) record.label = label->index;
  if (const auto* set = std::get_if<ClassSet>(&*annotation))
    record.annotation = {kClassSet, nlohmann::json(set->indices).dump()};
  if (const auto* other = std::get_if<OtherAnnotation>(&*annotation))
    record.annotation = {other->kind, other->value};
  if (auto written = annotation_to_json(*annotation)) {
    if (written->value.size() <= trace::kLongestAnnotation) record.annotation = *std::move(written);
    else record.annotation = {std::string(kLeftOut) + written->kind, "null"};
  }
  return record;
}

void UnreadAnnotations::add(const std::optional<Annotation>& annotation) {
  const auto* other = annotation ? std::get_if<OtherAnnotation>(&*annotation) : nullptr;
  if (!other) return;
  if (std::string_view(other->kind).starts_with(kLeftOut)) ++left_out_;
  else if (frames_++ == 0) kind_ = other->kind;
}

std::string UnreadAnnotations::text() const {
  std::string text;
  if (left_out_ > 0)
    text = "annotations of " + std::to_string(left_out_) +
           " frames are longer than a trace keeps: give them again with --labels";
  if (frames_ == 0) return text;
  if (!text.empty()) text += "; ";
  return text + std::to_string(frames_) +
         (frames_ == 1 ? " frame has an annotation" : " frames have annotations") +
         " that this version does not read ('" + sanitized(kind_, 60) +
         (frames_ == 1 ? "'): it counts in no score" : "'): they count in no score");
}

}  // namespace edgeprobe::task
