#include <algorithm>
#include <array>
#include <map>

#include "core/bytes.h"
#include "preprocess/image.h"
#include "report/html.h"
#include "report/html_parts.h"

namespace edgeprobe::report {
namespace {

struct Role { const char* name; const char* title; };
constexpr std::array<Role, 4> kRoles{{{"raw", "raw image"},
                                      {"target_input", "target: what the model saw"},
                                      {"reference_input", "reference"},
                                      {"fixed_input", "target after the fix"}}};

std::string base64(ByteView bytes) {
  constexpr const char* kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size; i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size ? std::to_integer<std::uint32_t>(bytes.data[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

bool usable(const diagnose::Picture& picture) {
  return picture.height > 0 && picture.width > 0 &&
         picture.rgb.size() / 3 / static_cast<std::size_t>(picture.width) == static_cast<std::size_t>(picture.height) &&
         picture.rgb.size() % (3 * static_cast<std::size_t>(picture.width)) == 0;
}

// Shrinks to kMostPictureEdge by averaging whole cells; smaller pictures stay as they are.
preprocess::Image fitted(const diagnose::Picture& picture) {
  const int longest = std::max(picture.height, picture.width);
  if (longest <= kMostPictureEdge) return {picture.height, picture.width, 3, picture.rgb};
  const auto side = [&](int length) {
    return std::max(1, static_cast<int>(std::int64_t{length} * kMostPictureEdge / longest));
  };
  preprocess::Image out{side(picture.height), side(picture.width), 3, {}};
  out.pixels.reserve(static_cast<std::size_t>(out.height) * static_cast<std::size_t>(out.width) * 3);
  const auto edge = [](int i, int to, int from) { return static_cast<int>(std::int64_t{i} * from / to); };
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const int top = edge(y, out.height, picture.height), bottom = edge(y + 1, out.height, picture.height);
      const int left = edge(x, out.width, picture.width), right = edge(x + 1, out.width, picture.width);
      std::array<std::uint64_t, 3> sum{};
      for (int v = top; v < bottom; ++v)
        for (int u = left; u < right; ++u)
          for (std::size_t c = 0; c < 3; ++c)
            sum[c] += picture.rgb[(static_cast<std::size_t>(v) * static_cast<std::size_t>(picture.width) +
                                   static_cast<std::size_t>(u)) * 3 + c];
      const auto cells = static_cast<std::uint64_t>(bottom - top) * static_cast<std::uint64_t>(right - left);
      for (const std::uint64_t total : sum) out.pixels.push_back(static_cast<std::uint8_t>((total + cells / 2) / cells));
    }
  return out;
}

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
    const preprocess::Image shown = fitted(picture);
    if (const auto png = preprocess::encode_png(shown)) {
      body = "<img alt=\"" + escaped(picture.sample, 120) + ", " + title + "\" width=\"" + std::to_string(shown.width) +
             "\" height=\"" + std::to_string(shown.height) + "\" src=\"data:image/png;base64," + base64(*png) + "\">";
      if (shown.width != picture.width) size += ", scaled down";
    }
  }
  if (body.empty()) body = "<p class=\"no-picture\">This picture cannot be shown: its size does not fit its bytes.</p>";
  return "<figure>" + body + "<figcaption>" + title + "<small>" + size + "</small></figcaption></figure>\n";
}

std::size_t role_rank(const std::string& role) {
  std::size_t rank = 0;
  while (rank < kRoles.size() && role != kRoles[rank].name) ++rank;
  return rank;
}

}  // namespace

std::string picture_rows(const std::vector<diagnose::Picture>& pictures) {
  if (pictures.empty()) return "<p>No input pictures were recorded.</p>\n";
  std::vector<std::string> samples;  // In order of first appearance.
  std::map<std::string, std::vector<const diagnose::Picture*>> by_sample;
  for (const diagnose::Picture& picture : pictures) {
    auto& row = by_sample[picture.sample];
    if (row.empty()) samples.push_back(picture.sample);
    row.push_back(&picture);
  }
  const std::size_t shown = std::min(kMostSamples, samples.size());
  std::string out = "<p>Pictures of " + std::to_string(shown) + " of " + std::to_string(samples.size()) +
                    (samples.size() == 1 ? " sample" : " samples") + ", taken from the data and embedded in this page; no edge is longer than " +
                    std::to_string(kMostPictureEdge) + " pixels.</p>\n";
  for (std::size_t i = 0; i < shown; ++i) {
    auto& row = by_sample[samples[i]];
    std::stable_sort(row.begin(), row.end(),
                     [](const auto* a, const auto* b) { return role_rank(a->role) < role_rank(b->role); });
    row.resize(std::min<std::size_t>(row.size(), kRoles.size()));
    out += "<h3 class=\"sample\">" + escaped(samples[i], 120) + "</h3>\n<div class=\"pictures\">\n";
    for (const diagnose::Picture* picture : row) out += figure(*picture);
    out += "</div>\n";
  }
  return out;
}

}  // namespace edgeprobe::report
