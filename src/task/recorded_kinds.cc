// SPDX-License-Identifier: Apache-2.0
#include "task/recorded.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace edgeprobe::task {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kBoxes = "boxes", kKeyPoints = "key_points", kMaskKind = "mask",
                           kAnomalyKind = "anomaly", kVectorKind = "vector",
                           kIdentityKind = "identity", kTextKind = "text";

// Numbers of a list; empty if one of them is not `good`.
std::optional<std::vector<double>> numbers(const Json& list, bool (*good)(double)) {
  if (!list.is_array()) return std::nullopt;
  std::vector<double> values;
  for (const Json& one : list) {
    if (!one.is_number() || !good(one.get<double>())) return std::nullopt;
    values.push_back(one.get<double>());
  }
  return values;
}

std::optional<std::vector<double>> coordinates(const Json& list) {
  return numbers(list, is_coordinate);
}

bool is_number(double value) { return std::isfinite(value); }
bool is_area(double value) { return value >= 0 && value <= 1e18; }
bool is_finite_float(double value) {
  return std::fabs(value) <= double{std::numeric_limits<float>::max()};
}

// An optional member: null if absent.
const Json& member(const Json& object, const char* key) {
  static const Json kNull;
  const auto at = object.find(key);
  return at == object.end() ? kNull : *at;
}

bool is_size(const std::optional<std::vector<double>>& size) {
  return size && size->size() == 2 && (*size)[0] >= 0 && (*size)[1] >= 0;
}

// [class, x, y, width, height, area, crowd], optionally followed by a name.
std::optional<TrueBox> box_from(const Json& json) {
  if (!json.is_array() || (json.size() != 7 && json.size() != 8)) return std::nullopt;
  TrueBox box;
  Json plain = json;
  if (json.size() == 8) {
    if (!json[7].is_string()) return std::nullopt;
    box.name = json[7].get<std::string>();
    plain.erase(7);
  }
  const auto v = numbers(plain, is_number);
  if (!v || (*v)[0] < 0 || (*v)[0] > std::numeric_limits<int>::max() || (*v)[3] < 0 ||
      (*v)[4] < 0 || !std::all_of(v->begin() + 1, v->begin() + 5, is_coordinate) ||
      !is_area((*v)[5]))
    return std::nullopt;
  box.label = static_cast<int>((*v)[0]);
  box.box = {(*v)[1], (*v)[2], (*v)[3], (*v)[4]};
  box.area = (*v)[5];
  box.crowd = (*v)[6] != 0;
  return box;
}

std::optional<Annotation> boxes_from(const Json& json) {
  const auto size = coordinates(member(json, "size"));
  const Json& list = member(json, "boxes");
  if (!is_size(size) || !list.is_array()) return std::nullopt;
  TrueBoxes there{(*size)[0], (*size)[1], {}};
  for (const Json& one : list) {
    auto box = box_from(one);
    if (!box) return std::nullopt;
    there.boxes.push_back(*std::move(box));
  }
  return there;
}

std::optional<Annotation> poses_from(const Json& json) {
  const auto size = coordinates(member(json, "size"));
  const Json& list = member(json, "poses");
  if (!is_size(size) || !list.is_array()) return std::nullopt;
  TruePoses there{(*size)[0], (*size)[1], {}};
  for (const Json& one : list) {
    if (!one.is_object()) return std::nullopt;
    const auto box = coordinates(member(one, "box")), points = coordinates(member(one, "points"));
    const Json &area = member(one, "area"), &crowd = member(one, "crowd");
    if (!box || box->size() != 4 || !points || points->empty() || points->size() % 3 != 0 ||
        !area.is_number() || !is_area(area.get<double>()) || !crowd.is_boolean())
      return std::nullopt;
    TruePose pose{
        {}, {(*box)[0], (*box)[1], (*box)[2], (*box)[3]}, area.get<double>(), crowd.get<bool>()};
    for (std::size_t i = 0; i < points->size(); i += 3)
      pose.points.push_back({(*points)[i], (*points)[i + 1], (*points)[i + 2]});
    if (!there.poses.empty() && there.poses.front().points.size() != pose.points.size())
      return std::nullopt;
    there.poses.push_back(std::move(pose));
  }
  return there;
}

// {"size": [height, width], "runs": [class, pixels, class, pixels, …]}, row-major.
std::optional<Annotation> mask_from(const Json& json) {
  constexpr double kMost = 1e8;
  const auto size = coordinates(member(json, "size")), runs = coordinates(member(json, "runs"));
  if (!is_size(size) || !runs || runs->size() % 2 != 0 || (*size)[0] * (*size)[1] > kMost)
    return std::nullopt;
  const auto height = static_cast<std::uint32_t>((*size)[0]),
             width = static_cast<std::uint32_t>((*size)[1]);
  const std::size_t all = std::size_t{height} * width;
  auto classes = std::make_shared<std::vector<std::uint8_t>>();
  for (std::size_t i = 0; i < runs->size(); i += 2) {
    const double label = (*runs)[i], length = (*runs)[i + 1];
    if (label < 0 || label > 255 || length < 1 ||
        length > static_cast<double>(all - classes->size()))
      return std::nullopt;
    classes->insert(classes->end(), static_cast<std::size_t>(length),
                    static_cast<std::uint8_t>(label));
  }
  if (classes->size() != all) return std::nullopt;
  return TrueMask{height, width, std::move(classes)};
}

Json json_of(const TrueBox& one) {
  Json json{one.label,      one.box.x, one.box.y,        one.box.width,
            one.box.height, one.area,  one.crowd ? 1 : 0};
  if (!one.name.empty()) json.push_back(one.name);
  return json;
}

Json json_of(const TruePose& one) {
  Json points = Json::array();
  for (const Point& point : one.points)
    for (const double value : point) points.push_back(value);
  return {{"box", {one.box.x, one.box.y, one.box.width, one.box.height}},
          {"area", one.area},
          {"crowd", one.crowd},
          {"points", std::move(points)}};
}

Json json_of(const TrueMask& mask) {
  Json runs = Json::array();
  const std::vector<std::uint8_t>& classes = *mask.classes;
  for (std::size_t i = 0; i < classes.size();) {
    const std::size_t begin = i;
    while (i < classes.size() && classes[i] == classes[begin]) ++i;
    runs.push_back(classes[begin]);
    runs.push_back(i - begin);
    // Longer than a trace keeps.
    if (runs.size() > trace::kLongestAnnotation / 2) break;
  }
  return {{"size", {mask.height, mask.width}}, {"runs", std::move(runs)}};
}

trace::FrameAnnotation written(std::string_view kind, const Json& value) {
  return {std::string(kind), value.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

}  // namespace

std::optional<trace::FrameAnnotation> annotation_to_json(const Annotation& annotation) {
  if (const auto* there = std::get_if<TrueBoxes>(&annotation)) {
    Json boxes = Json::array();
    for (const TrueBox& one : there->boxes) boxes.push_back(json_of(one));
    return written(kBoxes, {{"size", {there->width, there->height}}, {"boxes", std::move(boxes)}});
  }
  if (const auto* there = std::get_if<TruePoses>(&annotation)) {
    Json poses = Json::array();
    for (const TruePose& one : there->poses) poses.push_back(json_of(one));
    return written(kKeyPoints,
                   {{"size", {there->width, there->height}}, {"poses", std::move(poses)}});
  }
  if (const auto* mask = std::get_if<TrueMask>(&annotation))
    return written(kMaskKind, json_of(*mask));
  if (const auto* one = std::get_if<TrueAnomaly>(&annotation))
    return written(kAnomalyKind, one->is_anomaly);
  if (const auto* one = std::get_if<TrueVector>(&annotation))
    return written(kVectorKind, one->values);
  if (const auto* one = std::get_if<Identity>(&annotation))
    return written(kIdentityKind, one->name);
  if (const auto* one = std::get_if<Transcript>(&annotation)) return written(kTextKind, one->text);
  return std::nullopt;
}

std::optional<Annotation> annotation_from_json(std::string_view kind, std::string_view value) {
  const Json json = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  if (kind == kBoxes && json.is_object()) return boxes_from(json);
  if (kind == kKeyPoints && json.is_object()) return poses_from(json);
  if (kind == kMaskKind && json.is_object()) return mask_from(json);
  if (kind == kAnomalyKind && json.is_boolean()) return TrueAnomaly{json.get<bool>()};
  if (kind == kIdentityKind && json.is_string()) return Identity{json.get<std::string>()};
  if (kind == kTextKind && json.is_string()) return Transcript{json.get<std::string>()};
  if (kind == kVectorKind) {
    const auto values = numbers(json, is_finite_float);
    if (!values) return std::nullopt;
    return TrueVector{{values->begin(), values->end()}};
  }
  return std::nullopt;
}

}  // namespace edgeprobe::task
