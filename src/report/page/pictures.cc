// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "report/page/page.h"
#include "report/page/parts.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {
namespace {

struct Role {
  const char* name;
  const char* title;
};
constexpr std::array<Role, 4> kRoles{{{"raw", "raw image"},
                                      {"target_input", "target: what the model saw"},
                                      {"reference_input", "reference"},
                                      {"fixed_input", "target after the fix"}}};

constexpr std::size_t kLongestAnswer = 400;

std::string role_title(const std::string& role) {
  for (const Role& known : kRoles)
    if (role == known.name) return known.title;
  return escaped(role, 60);
}

std::string figure(const diagnose::Picture& picture) {
  const std::string title = role_title(picture.role);
  std::string size = std::to_string(picture.width) + " × " + std::to_string(picture.height);
  std::string body;
  if (usable(picture)) {
    const preprocess::Image shown = fitted(picture, kMostPictureEdge);
    if (const std::string png = png_base64(shown); !png.empty()) {
      body = "<img alt=\"" + escaped(picture.sample, 120) + ", " + title + "\" width=\"" +
             std::to_string(shown.width) + "\" height=\"" + std::to_string(shown.height) +
             "\" src=\"data:image/png;base64," + png + "\">";
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

}  // namespace

std::string picture_rows(const std::vector<diagnose::Picture>& pictures,
                         const std::vector<diagnose::ShownSample>& shown_samples) {
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
    out += "<h3 class=\"sample\">" + escaped(samples[i], 120) + "</h3>\n";
    for (const diagnose::ShownSample& sample : shown_samples)
      if (sample.name == samples[i] && !sample.app_text.empty())
        out += "<p>The app answered: " + escaped(sample.app_text, kLongestAnswer) +
               (sample.expected_text.empty() ? ""
                                             : "<br>Expected of these outputs: " +
                                                   escaped(sample.expected_text, kLongestAnswer)) +
               "</p>\n";
    out += "<div class=\"pictures\">\n";
    for (const diagnose::Picture* picture : row) out += figure(*picture);
    out += "</div>\n";
  }
  return out;
}

}  // namespace edgeprobe::report
