// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "verdicts.h"

namespace edgeprobe::report {
namespace {

using diagnose::Cause;
using diagnose::ComparedAnswers;
using diagnose::EvidenceKind;
using diagnose::Outcome;
using diagnose::Picture;
using diagnose::Verdict;

constexpr int kHeight = 40, kWidth = 56;

/// Colours that cover all values and differ in each channel and sample.
Picture scene(const std::string& role, const std::string& sample, int seed) {
  Picture picture{role, sample, kHeight, kWidth, {}};
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (int c = 0; c < 3; ++c)
        picture.rgb.push_back(
            static_cast<std::uint8_t>((x * 5 + y * (3 + c) + 40 * c + 17 * seed) % 256));
  return picture;
}

/// The app's version of that picture: darkened by a curve (green by another one), with a white bar
/// at the bottom.
Picture fed(const Picture& reference) {
  Picture picture = reference;
  picture.role = "target_input";
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) {
    const double share = picture.rgb[i] / 255.0;
    picture.rgb[i] =
        static_cast<std::uint8_t>(std::lround(255 * std::pow(share, i % 3 == 1 ? 1.2 : 1.6)));
    if (i / 3 / kWidth >= kHeight - 4) picture.rgb[i] = 255;
  }
  return picture;
}

void add_sample(Verdict& verdict, const std::string& sample, int seed, bool differs = true) {
  Picture reference = scene("reference_input", sample, seed);
  Picture target = fed(reference);
  if (!differs) target.rgb = reference.rgb;
  verdict.pictures.push_back(scene("raw", sample, seed));
  verdict.pictures.push_back(std::move(target));
  verdict.pictures.push_back(std::move(reference));
}

}  // namespace

Verdict unknown_input_verdict() {
  Verdict verdict;
  verdict.outcome = Outcome::kDiffers;
  verdict.headline = {diagnose::HeadlineKind::kUnknownCause};
  Cause cause;
  cause.stage = diagnose::CauseStage::kPreprocessing;
  cause.detail =
      "in 39 of 40 frames the model input differs and no known change of the reference's "
      "pre-processing reproduces the recorded input (33.7 gray steps stay)" +
      std::string(diagnose::kSeePictures);
  cause.evidence = {{EvidenceKind::kDifferencePlace, {{"sentence", "nearly every value differs"}}}};
  verdict.causes = {cause};
  add_sample(verdict, "a.png", 0, false);
  add_sample(verdict, "b.png", 1);
  add_sample(verdict, "c.png", 2);
  for (std::uint32_t i = 0; i < 40; ++i)
    verdict.frame_distances.frames.push_back({i, i == 0 ? 0 : 20 + 0.5 * i, i > 0});
  verdict.task = {"top1_accuracy", 1.0, 1.0, {}, {{0.93, 1}}, {{0.93, 1}}, {}, 1.0, 50, 12, 0.98};
  verdict.provenance = {{"reference.engine_sha256",
                         "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"},
                        {"reference.recipe", "resize(56x40, bilinear) | scale(-1..1)"}};
  return verdict;
}

Verdict flipped_classes_verdict() {
  Verdict verdict = channel_order_verdict();
  ComparedAnswers answers;
  answers.frames = 360;
  answers.flipped = 211;
  for (std::uint32_t i = 0; i < 211; ++i)
    answers.flips.push_back({i, i == 0 ? "signs/stop_0001.png" : "signs/no_" + std::to_string(i),
                             "yield", "stop", i == 0 ? "stop" : "", "", ""});
  answers.flips.resize(ComparedAnswers::kMostFlips);
  answers.labels = {{"yield", "stop", 30}, {"stop", "stop", 9},       {"no entry", "stop", 3},
                    {"a", "stop", 2},      {"b", "stop", 1},          {"c", "stop", 1},
                    {"d", "stop", 4},      {"parking", "parking", 20}};
  // 25 more classes; each is answered as the next one.
  for (int i = 0; i < 25; ++i)
    answers.labels.push_back({"class " + std::to_string(i + 1), "class " + std::to_string(i), 5});
  verdict.compared_answers = answers;
  return verdict;
}

Verdict flipped_boxes_verdict() {
  Verdict verdict;
  verdict.outcome = Outcome::kDiffers;
  verdict.headline = {diagnose::HeadlineKind::kUnexplained};
  add_sample(verdict, "street.png", 3, false);
  verdict.answers = diagnose::AnswerStudy{};
  verdict.answers->recipe = "detections(yxyx) | threshold(0.3) | boxes(xyxy, pixels)";
  ComparedAnswers answers;
  answers.of_boxes = true;
  answers.frames = 2;
  answers.flipped = 1;
  answers.flips = {{0, "street.png", "bus 0.9", "car 0.9, person 0.5", "car, person",
                    R"({"labels":["bus"],"scores":[0.9],"boxes":[[4,6,30,34]]})",
                    R"({"labels":["car","person"],"boxes":[[4,6,30,33],[40,8,50,36]]})"}};
  answers.labels = {{"car", "car", 3}, {"bus", "car", 1}, {"", "person", 1}};
  verdict.compared_answers = answers;
  return verdict;
}

Verdict hostile_names_verdict() {
  const std::string attack =
      "</title></svg></style></script><script>document.title='run'</script><img src=x "
      "onerror=\"document.title='run'\">\" onmouseover=\"x\" ' & &lt; \xe2\x80\xae gpj.exe\n\r\t";
  Verdict verdict = unknown_input_verdict();
  verdict.before_headline = attack;
  for (Picture& picture : verdict.pictures)
    if (picture.sample == "b.png") picture.sample = attack;
  verdict.causes[0].detail += attack;
  verdict.causes[0].evidence[0].values.insert_or_assign("sentence", attack);
  verdict.provenance = {{attack, attack}, {"recipe " + attack, attack}};
  verdict.warnings = {attack};
  ComparedAnswers answers;
  answers.frames = 3;
  answers.flipped = 3;
  answers.flips = {
      {0, attack, attack, attack, attack, "{\"labels\":\"<b>\"}", attack},
      {1, "", attack, attack, attack, R"({"labels":["</svg><script>"],"boxes":[[1,1,9,9]]})", ""},
      {2, "nowhere", attack, attack, "", "", ""}};
  answers.labels = {{attack, "<b>", 1}, {"<i>", attack, 2}, {"", "<u>", 1}};
  verdict.compared_answers = answers;
  verdict.answers = diagnose::AnswerStudy{};
  verdict.answers->recipe = attack;
  diagnose::LayerDrift layer;
  layer.name = layer.type = layer.target_name = attack;
  for (int i = 0; i < 6; ++i) {
    layer.index = i;
    layer.distances.rmse_over_range = 0.1 * (i + 1);
    verdict.layers.push_back(layer);
  }
  const std::string answer = R"({"labels":["<script>document.title='run'</script>"]})";
  verdict.samples = {{attack, 0, {}, {}, {}, answer, attack, answer, attack}};
  return verdict;
}

std::vector<std::pair<std::string, Verdict>> page_verdicts() {
  return {{"unknown_input", unknown_input_verdict()},
          {"flipped_classes", flipped_classes_verdict()},
          {"flipped_boxes", flipped_boxes_verdict()},
          {"hostile_names", hostile_names_verdict()}};
}

}  // namespace edgeprobe::report
