// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "report/page/html.h"
#include "report/page/overlay.h"
#include "report/page/page.h"
#include "report/page/parts.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {
namespace {

struct Role {
  const char* name;
  const char* title;
};
constexpr std::array<Role, 5> kRoles{{{"raw", "raw image"},
                                      {"answer_mask", "the app’s mask, translucent"},
                                      {"target_input", "target: what the model saw"},
                                      {"reference_input", "reference"},
                                      {"fixed_input", "target after the fix"}}};

constexpr std::size_t kLongestAnswer = 400;

std::string role_title(const std::string& role) {
  for (const Role& known : kRoles)
    if (role == known.name) return known.title;
  return escaped(role, 60);
}

// `over`: an SVG to overlay on the picture, or empty.
std::string figure(const diagnose::Picture& picture, const std::string& over) {
  const std::string title = role_title(picture.role);
  std::string size = std::to_string(picture.width) + " × " + std::to_string(picture.height);
  std::string body;
  if (usable(picture)) {
    const preprocess::Image shown = fitted(picture, kMostPictureEdge);
    const bool raw = picture.role == "raw";
    if (const std::string url =
            picture_url(shown, raw ? PictureUse::kPhotograph : PictureUse::kValues);
        !url.empty()) {
      body = "<img alt=\"" + escaped(picture.sample, 120) + ", " + title + "\" width=\"" +
             std::to_string(shown.width) + "\" height=\"" + std::to_string(shown.height) +
             "\" src=\"" + url + "\">";
      if (!over.empty()) {
        body = "<div style=\"position:relative\">" + body + over + "</div>";
        size += ", with what the app answered";
      }
      if (shown.width != picture.width) size += ", scaled down";
    }
  }
  if (body.empty())
    body =
        "<p class=\"no-picture\">This picture cannot be shown: its size does not fit its "
        "bytes.</p>";
  return "<figure>" + body + "<figcaption>" + title + "<small>" + size +
         "</small></figcaption></figure>\n";
}

std::size_t role_rank(const std::string& role) {
  std::size_t rank = 0;
  while (rank < kRoles.size() && role != kRoles[rank].name) ++rank;
  return rank;
}

bool is_on_both_sides(const diagnose::Picture& picture) {
  return picture.role == "target_input" || picture.role == "reference_input";
}

postprocess::detection::Size size_of(const diagnose::Picture& picture) {
  return {static_cast<double>(picture.width), static_cast<double>(picture.height)};
}

// The app's answer for the sample, drawn over its raw picture.
std::string over_raw(const diagnose::ShownSample& sample,
                     const std::vector<const diagnose::Picture*>& row, const std::string& recipe) {
  DrawnAnswer drawn{sample.app_json, sample.expected_json, recipe, {}, {}};
  for (const diagnose::Picture* picture : row) {
    if (picture->role == "raw") drawn.picture = size_of(*picture);
    if (picture->role == "reference_input") drawn.model = size_of(*picture);
  }
  return overlay(drawn);
}

constexpr const char* kDrawnNote =
    "<p class=\"soft\">Over the raw image: yellow, what the app answered; dashed, what the "
    "reference’s recipe makes of the same outputs. Both are drawn as the reference’s recipe reads "
    "them.</p>\n";

}  // namespace

std::string picture_rows(const std::vector<diagnose::Picture>& pictures,
                         const std::vector<diagnose::ShownSample>& shown_samples,
                         const std::string& recipe, const std::string& above) {
  if (pictures.empty()) return "<p>No input pictures were recorded.</p>\n";
  std::vector<std::string> samples;  // In order of first appearance.
  std::map<std::string, std::vector<const diagnose::Picture*>> by_sample;
  for (const diagnose::Picture& picture : pictures) {
    auto& row = by_sample[picture.sample];
    if (row.empty()) samples.push_back(picture.sample);
    row.push_back(&picture);
  }
  const std::size_t shown = std::min(kMostSamples, samples.size());
  std::string out = "<p>Pictures of " + std::to_string(shown) + " of " +
                    std::to_string(samples.size()) +
                    (samples.size() == 1 ? " sample" : " samples") +
                    ", taken from the data and embedded in this page; no edge is longer than " +
                    std::to_string(kMostPictureEdge) + " pixels.</p>\n";
  for (std::size_t i = 0; i < shown; ++i) {
    auto& row = by_sample[samples[i]];
    std::stable_sort(row.begin(), row.end(), [](const auto* a, const auto* b) {
      return role_rank(a->role) < role_rank(b->role);
    });
    row.resize(std::min<std::size_t>(row.size(), kRoles.size()));
    const bool shown_above = !above.empty() && samples[i] == above;
    out += "<h3 class=\"sample\">" + escaped(samples[i], 120) + "</h3>\n";
    std::string over;
    for (const diagnose::ShownSample& sample : shown_samples)
      if (sample.name == samples[i] && over.empty()) over = over_raw(sample, row, recipe);
    if (!over.empty()) out += kDrawnNote;
    for (const diagnose::ShownSample& sample : shown_samples)
      if (sample.name == samples[i] && !sample.app_text.empty())
        out += "<p>The app answered: " + escaped(sample.app_text, kLongestAnswer) +
               (sample.expected_text.empty() ? ""
                                             : "<br>Expected of these outputs: " +
                                                   escaped(sample.expected_text, kLongestAnswer)) +
               "</p>\n";
    out += "<div class=\"pictures\">\n";
    for (const diagnose::Picture* picture : row)
      if (!shown_above || !is_on_both_sides(*picture))
        out += figure(*picture, picture->role == "raw" ? over : "");
    if (shown_above)
      out += "<p>Both model inputs are <a href=\"#difference\">at the top of the page</a>.</p>\n";
    out += "</div>\n";
  }
  return out;
}

}  // namespace edgeprobe::report
