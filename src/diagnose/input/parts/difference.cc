// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/parts/difference.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/evenly_spaced.h"
#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

/// Values that differ less than this fraction of the distance, or this many gray steps, are
/// ignored.
constexpr double kSmallShare = 0.2, kSmallSteps = 3;
/// Up to this many gray steps (RMS), brightness or colour counts as unchanged.
constexpr double kUnchanged = 1.5;
/// Factor by which edges must differ more than plain areas.
constexpr double kAtEdges = 3;
/// Largest fraction of the distance that may remain against another frame's picture.
constexpr double kLikeOther = 0.3;
/// Parts per side, used to check whether the whole picture differs.
constexpr std::size_t kParts = 8;
constexpr std::size_t kMostDistances = 200;  ///< Largest number of frames whose distance is listed.

Unequal large_values(const RecordedPictures& recorded) {
  Unequal out;
  for (const RecordedPicture& one : recorded.pictures) {
    const double limit =
        std::max({recorded.near, kSmallSteps * recorded.unit,
                  std::isfinite(one.distance) ? kSmallShare * one.distance * recorded.unit : 0.0});
    std::vector<std::uint8_t> mask(one.fed.size());
    for (std::size_t i = 0; i < mask.size(); ++i)
      mask[i] = !(std::abs(double(one.fed[i]) - double(one.wanted[i])) <= limit);
    out.push_back(std::move(mask));
  }
  return out;
}

/// True if nearly all parts of the picture differ about as often as the whole.
bool is_all_over(const RecordedPictures& recorded, const Unequal& unequal) {
  const PictureLayout& l = recorded.layout;
  std::array<double, kParts * kParts> differ{}, values{};
  for (const auto& mask : unequal)
    for (std::size_t i = 0; i < mask.size(); ++i) {
      const std::size_t pixel = i / l.channels;
      const std::size_t part =
          pixel / l.width * kParts / l.height * kParts + pixel % l.width * kParts / l.width;
      differ[part] += mask[i];
      ++values[part];
    }
  double all = 0, count = 0;
  for (std::size_t k = 0; k < differ.size(); ++k) all += differ[k], count += values[k];
  std::size_t like_all = 0;
  for (std::size_t k = 0; k < differ.size(); ++k)
    like_all += values[k] == 0 || differ[k] / values[k] >= 0.5 * all / count;
  return double(like_all) >= 0.85 * double(differ.size());
}

/// The difference split into luma (BT.601) of each pixel and the rest of its channels, in gray
/// steps (RMS).
struct LumaAndColor {
  double luma = 0, color = 0;
};

LumaAndColor split_by(const std::array<double, 3>& weights, const RecordedPictures& recorded) {
  LumaAndColor sum;
  double pixels = 0;
  for (const RecordedPicture& one : recorded.pictures)
    for (std::size_t p = 0; p + 2 < one.fed.size(); p += 3, ++pixels) {
      std::array<double, 3> d{};
      double luma = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        d[c] = (double(one.fed[p + c]) - double(one.wanted[p + c])) / recorded.unit;
        luma += weights[c] * d[c];
      }
      sum.luma += luma * luma;
      for (const double each : d) sum.color += (each - luma) * (each - luma) / 3;
    }
  return {std::sqrt(sum.luma / pixels), std::sqrt(sum.color / pixels)};
}

/// Gray pictures have no colour to compare.
bool is_gray(const RecordedPictures& recorded) {
  double saturation = 0, values = 0;
  for (const RecordedPicture& one : recorded.pictures)
    for (std::size_t p = 0; p + 2 < one.wanted.size(); p += 3, values += 3)
      for (std::size_t c = 0; c < 3; ++c)
        saturation += std::abs(double(one.wanted[p + c]) - double(one.wanted[p + (c + 1) % 3]));
  return saturation < recorded.unit * values;
}

/// Uses the known channel order; without one, takes the larger value of either order.
std::optional<LumaAndColor> luma_and_color(const RecordedPictures& recorded) {
  if (recorded.layout.channels != 3 || is_gray(recorded)) return std::nullopt;
  const LumaAndColor rgb = split_by({0.299, 0.587, 0.114}, recorded),
                     bgr = split_by({0.114, 0.587, 0.299}, recorded);
  const LumaAndColor most{std::max(rgb.luma, bgr.luma), std::max(rgb.color, bgr.color)};
  const LumaAndColor& out = recorded.colors == "RGB" ? rgb : recorded.colors == "BGR" ? bgr : most;
  return std::isfinite(out.color) ? std::optional(out) : std::nullopt;
}

/// Ratio of the difference at edges of the reference's picture to that in plain areas.
std::optional<double> edge_ratio(const RecordedPictures& recorded) {
  const PictureLayout& l = recorded.layout;
  double edges = 0, plain = 0, at_edges = 0, in_plain = 0;
  for (const RecordedPicture& one : recorded.pictures)
    for (std::size_t y = 0; y < l.height; ++y)
      for (std::size_t x = 1; x + 1 < l.width; ++x)
        for (std::size_t c = 0; c < l.channels; ++c) {
          const std::size_t i = l.at(y, x, c);
          const double slope =
              std::abs(double(one.wanted[i + l.channels]) - double(one.wanted[i - l.channels])) /
              recorded.unit;
          const double d = std::abs(double(one.fed[i]) - double(one.wanted[i])) / recorded.unit;
          if (slope > 24) {
            edges += d;
            ++at_edges;
          } else if (slope < 6) {
            plain += d;
            ++in_plain;
          }
        }
  if (at_edges < 100 || in_plain < 100 || !std::isfinite(edges + plain)) return std::nullopt;
  return edges / at_edges / std::max(plain / in_plain, 0.05);
}

double apart(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
  return std::sqrt(sum / double(a.size()));
}

/// Names the neighbouring frame if most pictures are much closer to that frame's picture than to
/// their own.
std::string like_other(const RecordedPictures& recorded) {
  for (const auto& [from, words] : {std::pair{&RecordedPicture::before, "the frame before"},
                                    std::pair{&RecordedPicture::behind, "the next frame"}}) {
    std::size_t near = 0;
    for (const RecordedPicture& one : recorded.pictures) {
      const auto& other = one.*from;
      near += other.size() == one.fed.size() &&
              apart(one.fed, other) <= kLikeOther * one.distance * recorded.unit;
    }
    if (2 * near > recorded.pictures.size()) return words;
  }
  return "";
}

}  // namespace

PlacedDifference describe_place(const RecordedPictures& recorded, const Unequal& unequal) {
  Place place = place_of(recorded, unequal);
  const double equal = 1 - place.share;
  bool exact = true;
  if (!place.is_part()) {
    place = place_of(recorded, large_values(recorded));
    exact = false;
  }
  PlacedDifference out;
  out.evidence.kind = EvidenceKind::kDifferencePlace;
  auto& values = out.evidence.values;
  values.emplace("equal", equal);
  values.emplace("frames", recorded.differing);
  values.emplace("all_frames", recorded.all);
  values.emplace("first_frame", recorded.frames.front());
  const auto add = [&](const std::string& part) {
    out.sentence += (out.sentence.empty() ? "" : "; ") + part;
  };
  if (const std::string where = place_text(recorded, place); !where.empty()) {
    values.emplace("where", where);
    std::vector<double> rows, columns;
    for (const Lines& run : place.rows)
      rows.insert(rows.end(), {double(run.first), double(run.last)});
    for (const Lines& run : place.columns)
      columns.insert(columns.end(), {double(run.first), double(run.last)});
    if (!rows.empty()) values.emplace("rows", rows);
    if (!columns.empty()) values.emplace("columns", columns);
    add(std::string(exact ? "all" : "nearly all") + " of the difference is in " +
        (place.moves ? "parts that move from frame to frame, within " : "") + where +
        (exact ? " (" + percent(place.share) + " of the values; the others are equal)" : ""));
  } else if (const auto fill = filled_by_reference(recorded, unequal)) {
    add("all of the difference is in what the reference fills with " + fill_text(*fill));
  } else if (equal >= 0.02) {
    add(percent(equal) + " of the values are equal" +
        (is_all_over(recorded, unequal) ? ", and those that differ are all over the picture" : ""));
  } else {
    add("nearly every value differs");
  }
  if (const auto parts = luma_and_color(recorded)) {
    values.emplace("luma", parts->luma);
    values.emplace("color", parts->color);
    if (parts->luma < kUnchanged && parts->color > 2 * kUnchanged)
      add("in colour, not in brightness");
    else if (parts->color < kUnchanged && parts->luma > 2 * kUnchanged)
      add("in brightness, not in colour");
  }
  if (const auto ratio = edge_ratio(recorded); ratio && !place.is_part()) {
    values.emplace("at_edges", *ratio);
    if (*ratio > kAtEdges) add("mostly at edges and fine detail");
  }
  if (const std::string other = like_other(recorded); !other.empty()) {
    values.emplace("like", other);
    add("the picture is nearer to that of " + other);
  }
  if (recorded.differing < recorded.all)
    add("in " + std::to_string(recorded.differing) + " of " + std::to_string(recorded.all) +
        " frames, first in frame " + std::to_string(recorded.frames.front()));
  values.emplace("sentence", out.sentence);
  std::vector<double> distances;
  for (const std::size_t k : evenly_spaced(recorded.distances.size(), kMostDistances))
    distances.push_back(std::isfinite(recorded.distances[k]) ? recorded.distances[k] : -1);
  values.emplace("distances", distances);
  return out;
}

}  // namespace edgeprobe::diagnose
