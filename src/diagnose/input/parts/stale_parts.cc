// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/text.h"
#include "diagnose/input/parts/parts.h"

namespace edgeprobe::diagnose {
namespace {

/// Fraction of the unequal values that must be explained.
constexpr double kNearlyAll = 0.995;
/// Limits for the fraction of unequal values: fewer may be chance, more are the whole picture.
constexpr double kLeastShare = 0.004, kMostShare = 0.9;
/// Smallest fraction of unequal values in a part filled with one value; plain pictures are equal by
/// chance.
constexpr double kSolid = 0.4;

/// Expected value at an index of one picture; nothing if it cannot be predicted.
using Expected = std::function<std::optional<double>(const RecordedPicture&, std::size_t)>;

/// True if `expected` predicts nearly all unequal values of every picture for which it predicts
/// any, and predicts some for at least half of the pictures.
bool explains_all(const RecordedPictures& recorded, const Unequal& unequal,
                  const Expected& expected) {
  std::size_t told = 0;
  for (std::size_t k = 0; k < recorded.pictures.size(); ++k) {
    const RecordedPicture& one = recorded.pictures[k];
    std::size_t all = 0, right = 0;
    for (std::size_t i = 0; i < one.fed.size(); ++i) {
      if (!unequal[k][i]) continue;
      const auto value = expected(one, i);
      if (!value) continue;
      ++all;
      right += std::abs(double(one.fed[i]) - *value) <= recorded.near;
    }
    if (all == 0) continue;
    if (double(right) < kNearlyAll * double(all)) return false;
    ++told;
  }
  return told > 0 && 2 * told >= recorded.pictures.size();
}

Expected frame(std::vector<float> RecordedPicture::*from) {
  return [from](const RecordedPicture& one, std::size_t i) -> std::optional<double> {
    const auto& values = one.*from;
    if (values.size() != one.fed.size()) return std::nullopt;
    return double(values[i]);
  };
}

/// The value that fills a part, as text; "one value" if it varies by picture. Nothing if a part has
/// several values.
std::optional<std::string> value_held(const RecordedPictures& recorded, const Unequal& unequal) {
  const std::size_t channels = recorded.layout.channels;
  std::vector<std::string> words;
  for (std::size_t k = 0; k < recorded.pictures.size(); ++k) {
    const RecordedPicture& one = recorded.pictures[k];
    std::vector<std::vector<float>> held(channels);
    for (std::size_t i = 0; i < one.fed.size(); ++i)
      if (unequal[k][i]) held[i % channels].push_back(one.fed[i]);
    for (auto& values : held) {
      if (values.empty()) continue;
      const float value = median(values);
      const auto off = std::count_if(values.begin(), values.end(), [&](float v) {
        return !(std::abs(double(v) - double(value)) <= 0.02 * recorded.unit);
      });
      if (double(off) > (1 - kNearlyAll) * double(values.size())) return std::nullopt;
      const auto word = number(value, 4);
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
  }
  if (words.empty()) return std::nullopt;
  if (words.size() > recorded.layout.channels) return "one value";
  return joined(words);
}

/// True if at least two pictures have the same part although the reference's pictures differ.
bool is_overlay(const RecordedPictures& recorded, const Unequal& unequal) {
  if (recorded.pictures.size() < 2) return false;
  const RecordedPicture& first = recorded.pictures.front();
  std::size_t unlike = 0, all = 0;
  for (std::size_t k = 1; k < recorded.pictures.size(); ++k)
    for (std::size_t i = 0; i < unequal[k].size(); ++i)
      if (unequal[k][i]) {
        ++all;
        unlike += std::abs(double(recorded.pictures[k].wanted[i]) - double(first.wanted[i])) >
                  2 * recorded.near;
      }
  if (2 * unlike < all) return false;
  return explains_all(recorded, unequal, [&](const RecordedPicture&, std::size_t i) {
    return std::optional<double>(first.fed[i]);
  });
}

/// Describes a band at one side that repeats the last line next to it.
std::optional<std::string> repeated_line(const RecordedPictures& recorded, const Unequal& unequal,
                                         const Place& place) {
  const PictureLayout& l = recorded.layout;
  const auto at_side = [](const std::vector<Lines>& runs, std::size_t all) {
    return runs.size() == 1 && (runs[0].first == 0) != (runs[0].last + 1 == all);
  };
  const bool rows = at_side(place.rows, l.height);
  if (!rows && !at_side(place.columns, l.width)) return std::nullopt;
  const Lines run = rows ? place.rows[0] : place.columns[0];
  const std::size_t from = run.first == 0 ? run.last + 1 : run.first - 1;
  if (!explains_all(recorded, unequal,
                    [&](const RecordedPicture& one, std::size_t i) -> std::optional<double> {
                      const std::size_t c = i % l.channels, x = i / l.channels % l.width,
                                        y = i / l.channels / l.width;
                      return double(one.fed[rows ? l.at(from, x, c) : l.at(y, from, c)]);
                    }))
    return std::nullopt;
  return std::string(rows ? "row " : "column ") + std::to_string(from) + " again";
}

/// Name of the part, and whether it takes a plural verb.
struct Holder {
  std::string words;
  bool several = true;
};

InputFault fault_of(CauseKind kind, const Holder& part, const std::string& holds) {
  InputFault fault;
  fault.kind = kind;
  fault.detail = part.words + (part.several ? " of the app's input hold " : " holds ") + holds +
                 "; all else is the reference's";
  return fault;
}

}  // namespace

std::optional<InputFault> stale_parts(const RecordedPictures& recorded, const Unequal& unequal) {
  const Place place = place_of(recorded, unequal);
  if (place.share < kLeastShare || place.share > kMostShare) return std::nullopt;
  Holder where{place_text(recorded, place)};
  if (where.words.empty()) where.words = percent(place.share) + " of the values";
  if (place.moves)
    where = {"a part that is another one from frame to frame (" + percent(place.share) +
                 " of the values)",
             false};
  if (const auto fill = filled_by_reference(recorded, unequal))
    where = {"what the reference fills with " + fill_text(*fill), false};
  using enum CauseKind;
  if (const auto value = value_held(recorded, unequal)) {
    if (place.filled < kSolid && !place.is_part() && !place.moves) return std::nullopt;
    auto fault = fault_of(kIncompleteInput, where, *value + " everywhere");
    fault.alternatives.push_back(
        "a buffer that is not filled to its end, or bars that the "
        "reference does not have");
    return fault;
  }
  // If the first frame left its content in the buffer for good, that frame equals the reference's.
  const bool starts_right =
      !recorded.same.empty() && recorded.same.front() < recorded.frames.front();
  if (!starts_right && is_overlay(recorded, unequal)) {
    auto fault = fault_of(kIncompleteInput, where, "the same in every frame, whatever the picture");
    fault.alternatives.push_back(
        "something is drawn over the picture, or a part of the buffer is "
        "never written");
    return fault;
  }
  if (explains_all(recorded, unequal, frame(&RecordedPicture::fed_before)) ||
      explains_all(recorded, unequal, frame(&RecordedPicture::before))) {
    auto fault = fault_of(kOtherFrame, where, "what the frame before left there");
    fault.alternatives.push_back("a buffer that is used again and not filled anew");
    return fault;
  }
  for (const auto& [from, words] :
       {std::pair{&RecordedPicture::before_that, "what belongs there two frames before"},
        std::pair{&RecordedPicture::behind, "what belongs there one frame later"}})
    if (explains_all(recorded, unequal, frame(from))) return fault_of(kOtherFrame, where, words);
  if (const auto line = repeated_line(recorded, unequal, place))
    return fault_of(kIncompleteInput, where, *line);
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose
