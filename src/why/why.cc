// SPDX-License-Identifier: Apache-2.0
#include "why/why.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/text.h"
#include "diagnose/preprocessing/model/frame.h"
#include "stats/quantile.h"
#include "why/bfloat16.h"
#include "why/by_picture.h"
#include "why/by_values.h"
#include "why/codes.h"
#include "why/filled.h"
#include "why/float_pictures.h"
#include "why/outputs.h"
#include "why/pixels.h"
#include "why/sizes.h"

namespace edgeprobe::why {
namespace {

using diagnose::CauseKind;
using diagnose::Outcome;

/// Limit up to which 32-bit floats represent every integer.
constexpr double kExactWhole = 16777216;
/// Share of equal values from which a part of the tensor is checked first.
constexpr double kPartly = 0.15;
/// Values of a picture that is checked directly before the search.
constexpr std::size_t kSmall = 300'000;
/// Correlation of two pictures that show the same, and how much rougher one must be to report it.
constexpr double kAlike = 0.9, kRougher = 1.02;

bool is_same_memory(const TensorView& a, const TensorView& b) {
  return a.spec->dtype == b.spec->dtype && a.bytes.size == b.bytes.size &&
         std::memcmp(a.bytes.data, b.bytes.data, a.bytes.size) == 0;
}

std::string layouts(const Sides& sides) {
  const bool planar = sides.picture->planar;
  return std::string("the app's tensor is ") + (planar ? "NHWC (" : "NCHW (") +
         to_text(sides.app.spec.shape) + "), the reference's " + (planar ? "NCHW (" : "NHWC (") +
         to_text(sides.reference.spec.shape) + ")";
}

Answer other_layout(const Sides& sides) {
  Answer out = named(CauseKind::kLayout, "the same picture in two layouts: " + layouts(sides),
                     {1, 1, 0, "rounding of its type"});
  out.would_decide.push_back(
      "the layout of each model's input (edgeprobe inspect MODEL): where each takes its own, "
      "nothing is wrong");
  return out;
}

Answer reshaped_memory(const Sides& sides) {
  Answer out = named(CauseKind::kLayout,
                     "both hold the same memory, and " +
                         layouts(sides).substr(std::strlen("the app's tensor")) +
                         ": one of them was reshaped where it had to be transposed",
                     {1, 1, 0, "rounding of its type"});
  out.causes.front().detail = "both hold the same memory under two shapes: " + layouts(sides) +
                              "; one of them was reshaped where it had to be transposed";
  return out;
}

/// True if one shape has the axes of the other in a different order.
bool have_exchanged_axes(const Sides& sides) {
  auto mine = diagnose::tensors::axes_of(sides.app.spec.shape),
       theirs = diagnose::tensors::axes_of(sides.reference.spec.shape);
  return mine != theirs &&
         std::is_permutation(mine.begin(), mine.end(), theirs.begin(), theirs.end());
}

/// Equal, bit by bit or value by value; empty if they differ.
std::optional<Answer> equal(const Question& question, const Sides& sides,
                            const Distance& distance) {
  const bool same_memory = is_same_memory(question.app, question.reference);
  if (sides.fit == Fit::kPlanar && same_memory && distance.equal < distance.values)
    return reshaped_memory(sides);
  if (same_memory && sides.fit == Fit::kReshaped && have_exchanged_axes(sides)) {
    return undecided("undecided: the same memory under two shapes whose axes are exchanged, " +
                         to_text(sides.app.spec.shape) + " and " +
                         to_text(sides.reference.spec.shape) +
                         ": one of them may have been reshaped where it had to be transposed",
                     "the axes in which each side was written");
  }
  if (same_memory && sides.fit == Fit::kReshaped) {
    return agreed("the same values in the same order, under two shapes: " +
                  to_text(sides.app.spec.shape) + " and " + to_text(sides.reference.spec.shape));
  }
  if (same_memory && distance.equal == distance.values) return agreed("equal: every byte");
  if (distance.equal < distance.values) return std::nullopt;
  if (sides.fit == Fit::kPlanar) return other_layout(sides);
  const DType mine = sides.app.spec.dtype, theirs = sides.reference.spec.dtype;
  if (is_integer(mine) || is_integer(theirs)) {
    const bool large = std::any_of(sides.fed.begin(), sides.fed.end(),
                                   [](float v) { return std::abs(double(v)) >= kExactWhole; });
    if (large)
      return undecided(
          "undecided: the bytes differ, in whole numbers above 16777216 that are compared as "
          "32-bit floats",
          "the same numbers as float64, less the first of them");
  }
  const bool has_doubles = mine == DType::kFloat64 || theirs == DType::kFloat64;
  if (has_doubles &&
      std::any_of(sides.fed.begin(), sides.fed.end(), [](float v) { return std::isinf(v); })) {
    return undecided(
        "undecided: some values are infinite as 32-bit floats, as which they are compared",
        "the same numbers divided by their largest");
  }
  const std::string types =
      mine == theirs ? "" : std::string(", as ") + name(mine) + " and " + name(theirs);
  if (mine != theirs && !has_doubles) return agreed("equal: every value" + types);
  return agreed("equal up to rounding: every value is the same to 24 bits" + types);
}

/// Reordered axes, if the shapes show it themselves.
std::optional<Answer> declared_axes(const Sides& sides) {
  const auto mine = diagnose::tensors::axes_of(sides.app.spec.shape),
             theirs = diagnose::tensors::axes_of(sides.reference.spec.shape);
  constexpr std::size_t kMostAxes = 4;
  if (mine.size() != theirs.size() || mine.size() > kMostAxes) return std::nullopt;
  std::vector<std::size_t> order(mine.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    bool fits = true;
    for (std::size_t k = 0; k < order.size(); ++k) fits = fits && mine[order[k]] == theirs[k];
    if (!fits) continue;
    std::vector<std::size_t> strides(mine.size(), 1);
    for (std::size_t k = mine.size(); k-- > 1;) strides[k - 1] = strides[k] * mine[k];
    bool same = true;
    std::vector<std::size_t> at(mine.size(), 0);
    for (std::size_t i = 0; same && i < sides.wanted().size(); ++i) {
      std::size_t from = 0;
      for (std::size_t k = 0; k < at.size(); ++k) from += at[k] * strides[order[k]];
      same = sides.app.values[from] == sides.wanted()[i];
      for (std::size_t k = at.size(); k-- > 0;) {
        if (++at[k] < theirs[k]) break;
        at[k] = 0;
      }
    }
    if (same)
      return named(CauseKind::kLayout,
                   "the same values along other axes: the app's tensor is " +
                       to_text(sides.app.spec.shape) + ", the reference's " +
                       to_text(sides.reference.spec.shape) + " (transposed)",
                   {1, 1, 0, "rounding of its type"});
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

std::string apart_text(const Distance& d) {
  std::string text = percent(1 - double(d.equal) / double(d.values)) + " of " +
                     counted(d.values, "value") + (d.values == 1 ? " differs" : " differ") +
                     ", by " + number(d.largest, 3) + " at most (RMS " + number(d.rms, 3) + ")";
  if (d.app_not_finite || d.reference_not_finite)
    text += "; not finite: " + std::to_string(d.app_not_finite) + " of the app's, " +
            std::to_string(d.reference_not_finite) + " of the reference's";
  return text;
}

std::string left_text(const Left& left) {
  std::string text = "explains " + percent(left.explained, left.explained > 0.999 ? 2 : 1) +
                     " of the squared distance";
  if (left.within >= 0)
    text += "; " + percent(left.within, left.within > 0.999 ? 2 : 1) +
            " of the values are given up to one " + left.unit;
  if (left.within >= 0 && left.largest > 0) text += ", the worst up to " + number(left.largest, 2);
  return text;
}

/// Alternatives that a headline mentions too: those that nothing here distinguishes.
bool is_rival(const Answer& answer, const diagnose::Cause& cause) {
  return answer.outcome == Outcome::kUndecided || cause.kind == CauseKind::kOrientation;
}

/// The first half of "the app feeds BGR; the reference feeds RGB".
std::string headline_of(const Answer& answer) {
  std::string text;
  for (const diagnose::Cause& cause : answer.causes) {
    text += text.empty() ? cause.detail
                         : ", and " + cause.detail.substr(0, cause.detail.find("; the reference"));
    for (const std::string& other : cause.alternatives)
      if (is_rival(answer, cause)) text += "; or " + other;
  }
  if (answer.outcome != Outcome::kUndecided) return text;
  return "undecided between explanations that do equally well: " + text;
}

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
  double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    sa += x, sb += y, saa += x * x, sbb += y * y, sab += x * y;
  }
  const double n = double(a.size()), va = saa - sa * sa / n, vb = sbb - sb * sb / n;
  return va > 0 && vb > 0 ? (sab - sa * sb / n) / std::sqrt(va * vb) : 0;
}

/// Two pictures of one object, neither a change of the other.
void add_roughness(const Sides& sides, Answer& out) {
  if (!sides.picture || sides.frames != 1) return;
  const auto raster = [&](const std::vector<float>& values) {
    return preprocess::Raster{int(sides.picture->height), int(sides.picture->width),
                              int(sides.picture->channels), as_rows(values.data(), *sides.picture)};
  };
  const double alike = correlation(sides.fed, sides.wanted());
  out.facts.push_back({"Alike", "correlation " + number(alike, 4)});
  if (alike < kAlike) return;
  const double ratio = diagnose::total_variation(raster(sides.fed)) /
                       std::max(1e-30, diagnose::total_variation(raster(sides.wanted())));
  if (ratio > 1 / kRougher && ratio < kRougher) return;
  out.facts.push_back(
      {"Roughness", std::string("the app's picture is ") + (ratio > 1 ? "rougher" : "smoother") +
                        " than the reference's: neighbours lie " + percent(std::abs(ratio - 1), 0) +
                        (ratio > 1 ? " further" : " less") +
                        " apart, as another resize filter makes them"});
}

/// Real numbers that fit into 16 bits on one side only.
void add_fewer_bits(const Sides& sides, Answer& out) {
  const bool mine = is_of_bfloat16(sides.app), theirs = is_of_bfloat16(sides.reference);
  if (mine != theirs)
    out.facts.push_back({"Bits", std::string(mine ? "the app's" : "the reference's") +
                                     " values are all numbers of bfloat16: their lower 16 bits "
                                     "are 0"});
}

Answer unknown(const Sides& sides, const Question& question) {
  Answer out = undecided("undecided: no known change makes the app's tensor of the reference's");
  if (const std::string place = place_of(sides); !place.empty())
    out.facts.push_back({"Where", "the differences lie in " + place});
  if (const std::string fill = fill_of(sides); !fill.empty()) out.facts.push_back({"Seen", fill});
  add_roughness(sides, out);
  if (sides.picture && !question.picture)
    out.would_decide.push_back("the picture that both were made of (--image)");
  else if (!sides.picture)
    out.would_decide.push_back(
        "a pair from one stage earlier, or a trace of both "
        "(docs/guides/probe.md)");
  return out;
}

/// A line given in numbers, for lack of a name.
bool is_numbered(const Answer& answer) {
  return std::any_of(answer.causes.begin(), answer.causes.end(), [](const diagnose::Cause& c) {
    return c.kind == CauseKind::kValueRange && c.detail.find("x*") != std::string::npos;
  });
}

/// Prefers an exact change to a line given in numbers; the line itself must leave no residual.
std::optional<Answer> or_exact(std::optional<Answer> found, const Sides& sides) {
  if (!found || !is_numbered(*found)) return found;
  if (auto exact = by_change(sides)) return exact;
  constexpr double kOneStep = 1.05;
  if (found->left && found->left->within >= 0 && found->left->largest > kOneStep)
    return std::nullopt;
  return found;
}
std::optional<Answer> by_pixels_exactly(const Sides& sides) {
  return or_exact(by_pixels(sides), sides);
}

/// Range of the middle half of the values; infinite if that says nothing of the rest.
double middle_half(const std::vector<float>& values) {
  std::vector<float> finite;
  for (const float v : values)
    if (std::isfinite(v)) finite.push_back(v);
  if (finite.size() < 4) return std::numeric_limits<double>::infinity();
  const double range =
      double(stats::lower_quantile(finite, 0.75)) - double(stats::lower_quantile(finite, 0.25));
  return range > 0 ? range : std::numeric_limits<double>::infinity();
}
/// A few values such as a mask's -1e9 must not make the others equal.
Answer small_beside_few(double largest, double middle) {
  return undecided("undecided: the values differ by " + number(largest, 2) +
                       " at most, little beside the largest of them but not beside most, whose "
                       "middle half spans " +
                       number(middle, 2),
                   "the same tensors without the few largest values");
}

bool is_decided(const Answer& answer) {
  return answer.outcome != Outcome::kUndecided || !answer.causes.empty();
}

using Finder = std::optional<Answer> (*)(const Sides&);

Answer answer_in_full(const Question& question, const Sides& sides, const Distance& distance) {
  if (auto out = equal(question, sides, distance)) return *std::move(out);
  if (pairs_of(sides).differs.empty()) {
    if (sides.fit == Fit::kPlanar) return other_layout(sides);
    if (const double middle = middle_half(sides.wanted()); distance.largest > middle / 1000)
      return small_beside_few(distance.largest, middle);
    return agreed("equal up to rounding: the values differ by " + number(distance.largest, 2) +
                  " at most");
  }
  constexpr std::array kFirst{by_bytes,       broken,     by_codes, by_rounding,
                              by_moved_codes, by_padding, by_relu};
  for (const Finder find : kFirst)
    if (auto out = find(sides)) return *std::move(out);
  std::optional<Answer> searched;
  if (question.picture && sides.picture && sides.frames == 1) {
    searched = by_picture(sides, *question.picture);
    if (auto out = or_exact(searched, sides); out && is_decided(*searched)) return *std::move(out);
  }
  std::vector<Finder> finders{by_boxes, by_order, by_scores, by_shifted_labels, by_change};
  if (is_telling(sides.wanted()) && is_telling(sides.fed)) {
    finders.insert(finders.begin(), {by_pixels_exactly, by_view});
    // For a small picture, cheaper than the search; by_parts() checks it as well.
    if (distance.values <= kSmall) finders.insert(finders.begin(), by_shift);
    finders.push_back(by_parts);
  }
  // The search from the picture itself tried more than that from recovered pixels.
  if (searched && !searched->reference_recipe.empty())
    std::erase(finders, Finder{by_pixels_exactly});
  if (double(distance.equal) > kPartly * double(distance.values) && is_telling(sides.wanted()))
    finders.insert(finders.begin(), by_missing_part);
  std::optional<Answer> found;
  if (sides.fit == Fit::kReshaped) found = declared_axes(sides);
  for (std::size_t k = 0; !found && k < finders.size(); ++k) found = finders[k](sides);
  if (found) {
    if (searched)
      found->facts.push_back({"Picture", searched->headline.empty()
                                             ? "no recipe gives every value of the app's"
                                             : searched->headline});
    return *std::move(found);
  }
  Answer out = unknown(sides, question);
  if (!searched || searched->headline.empty()) return out;
  searched->facts.insert(searched->facts.end(), out.facts.begin(), out.facts.end());
  return *std::move(searched);
}

/// The answer for numbers that went through bfloat16, with their digits restored. Different
/// readings may give different answers.
Answer answer_restored(const Question& question, const std::vector<Restored>& readings) {
  std::vector<Answer> answers;
  std::vector<std::string> headlines;
  for (const Restored& reading : readings) {
    Answer answer = answer_in_full(question, reading.sides, distance_of(reading.sides));
    if (answer.outcome == Outcome::kAgrees)
      answer.headline =
          "equal up to rounding: with all their digits both are one tensor; " + reading.how;
    if (!is_decided(answer) && &reading != &readings.back()) continue;
    if (!is_decided(answer) && !answers.empty()) continue;
    answer.facts.push_back({"Bits", reading.how});
    const std::string headline = answer.headline.empty() ? headline_of(answer) : answer.headline;
    if (std::find(headlines.begin(), headlines.end(), headline) != headlines.end()) continue;
    headlines.push_back(headline);
    answers.push_back(std::move(answer));
  }
  // A cause rather than "equal", so that its evidence is printed.
  const auto first = std::find_if(answers.begin(), answers.end(),
                                  [](const Answer& a) { return !a.causes.empty(); });
  Answer out = first == answers.end() ? answers.front() : *first;
  if (answers.size() == 1) return out;
  out.outcome = Outcome::kUndecided;
  out.headline =
      "undecided between explanations that do equally well: " + joined(headlines, "; or ");
  if (!out.causes.empty())
    for (const std::string& other : headlines)
      if (other != headline_of(*first)) out.causes.front().alternatives.push_back(other);
  out.would_decide.push_back("a picture with white in it (255): these pixels are alike in both");
  return out;
}

Answer answer_of(const Question& question, const Sides& sides, const Distance& distance) {
  if (auto out = equal(question, sides, distance)) return *std::move(out);
  const auto readings = restored(sides);
  if (!readings.empty()) return answer_restored(question, readings);
  if (auto out = by_bfloat16(sides)) return *std::move(out);
  return answer_in_full(question, sides, distance);
}

/// One channel of other numbers than pixels, such as features over time, has rows and columns but
/// shows nothing.
void name_values(const Sides& sides, Answer& out) {
  if (!sides.picture || sides.picture->channels > 1 || sides.frames != 1) return;
  const auto reads = [&](const Side& side) {
    return pixels_of(side, *sides.picture, 1).has_value();
  };
  if (reads(sides.reference) || reads(sides.app)) return;
  const std::pair<std::string, std::string> words[] = {
      {"feeds the picture ", "feeds the values, seen as rows and columns, "},
      {"own pixels in other places: the picture is", "own values in other places: they are"}};
  for (diagnose::Cause& cause : out.causes)
    for (const auto& [from, to] : words) {
      if (const auto at = cause.detail.find(from); at != std::string::npos)
        cause.detail.replace(at, from.size(), to);
      for (std::string& other : cause.alternatives)
        if (const auto at = other.find(from); at != std::string::npos)
          other.replace(at, from.size(), to);
    }
}

}  // namespace

Result<Answer> why(const Question& question) {
  EP_TRY(const auto sides, sides_of(question.app, question.reference));
  std::vector<Fact> facts{{"App", described(sides.app)}, {"Reference", described(sides.reference)}};
  Answer out;
  if (sides.fit == Fit::kOther) {
    std::optional<Answer> sized;
    if (question.picture) sized = by_other_size(sides, *question.picture);
    out = sized ? *std::move(sized) : by_sizes(sides);
  } else {
    const Distance distance = distance_of(sides);
    out = answer_of(question, sides, distance);
    name_values(sides, out);
    if (out.outcome != Outcome::kAgrees) add_fewer_bits(sides, out);
    out.distance = distance;
    if (distance.equal < distance.values) facts.push_back({"Apart", apart_text(distance)});
  }
  if (sides.fit == Fit::kPlanar && sides.picture) facts.push_back({"Layout", layouts(sides)});
  if (question.picture && !sides.picture)
    facts.push_back({"Picture", "not used: the tensors are no pictures"});
  if (out.headline.empty()) out.headline = headline_of(out);
  if (out.left && out.outcome != Outcome::kAgrees)
    facts.push_back({"Checked", left_text(*out.left)});
  out.facts.insert(out.facts.begin(), facts.begin(), facts.end());
  return out;
}

}  // namespace edgeprobe::why
