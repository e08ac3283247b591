// SPDX-License-Identifier: Apache-2.0
#include "report/json/verdict.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace edgeprobe::report {
namespace {

using Json = nlohmann::ordered_json;
using diagnose::Picture;

Json picture_json(const Picture& picture) {
  const preprocess::Image shown = fitted(picture, kMostJsonPictureEdge);
  const std::string png = png_base64(shown);
  if (png.empty()) return nullptr;
  return {{"height", picture.height},
          {"width", picture.width},
          {"png_height", shown.height},
          {"png_width", shown.width},
          {"png", png}};
}

// The absolute difference in gray steps of the reference's range, black for equal values.
Json difference_json(const Picture& target, const Picture& reference) {
  if (target.height != reference.height || target.width != reference.width) return nullptr;
  Picture difference = target;
  for (std::size_t i = 0; i < difference.rgb.size(); ++i)
    difference.rgb[i] =
        static_cast<std::uint8_t>(std::abs(int{target.rgb[i]} - int{reference.rgb[i]}));
  return picture_json(difference);
}

Json pictures_json(const diagnose::Verdict& verdict, const std::string& sample) {
  const Picture* const target = picture_of(verdict, sample, "target_input");
  const Picture* const reference = picture_of(verdict, sample, "reference_input");
  return {
      {"target_input", target ? picture_json(*target) : Json(nullptr)},
      {"reference_input", reference ? picture_json(*reference) : Json(nullptr)},
      {"difference", target && reference ? difference_json(*target, *reference) : Json(nullptr)}};
}

Json classes_json(const std::vector<diagnose::ClassScore>& classes) {
  Json list = Json::array();
  for (const diagnose::ClassScore& one : classes)
    list.push_back({{"class", one.index},
                    {"score", std::isfinite(one.score) ? Json(one.score) : Json(nullptr)}});
  return list;
}

Json answers_json(const diagnose::ShownSample& sample) {
  Json answers{{"target", classes_json(sample.target)},
               {"reference", classes_json(sample.reference)}};
  if (!sample.app_json.empty())
    answers["app"] = Json::parse(sample.app_json, nullptr, /*allow_exceptions=*/false);
  if (!sample.expected_json.empty())
    answers["expected"] = Json::parse(sample.expected_json, nullptr, /*allow_exceptions=*/false);
  return answers;
}

}  // namespace

Json samples_json(const diagnose::Verdict& verdict, Images images) {
  Json list = Json::array();
  for (const diagnose::ShownSample& sample : verdict.samples)
    list.push_back(
        {{"name", sample.name},
         {"frame", sample.frame},
         {"label", sample.labels.size() == 1 ? Json(sample.labels.front()) : Json(nullptr)},
         {"labels", sample.labels},
         {"pictures",
          images == Images::kNone ? Json(nullptr) : pictures_json(verdict, sample.name)},
         {"answers", answers_json(sample)}});
  return list;
}

}  // namespace edgeprobe::report
