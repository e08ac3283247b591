// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "preprocess/recipe/readings_words.h"
#include "preprocess/recipe/recipe_readings.h"

namespace edgeprobe::preprocess {
namespace {

std::string exactly(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string list_text(const std::vector<double>& list) {
  if (list.size() == 1) return exactly(list.front());
  std::string text;
  for (const double value : list) text += (text.empty() ? "[" : ", ") + exactly(value);
  return text + "]";
}

/// The factor as people write it: one part of a whole number where it is one.
std::string factor_text(const std::vector<double>& list) {
  if (list.size() != 1) return list_text(list);
  const double parts = std::round(1 / list.front());
  return parts > 1 && parts < 1e9 && 1 / parts == list.front() ? "1/" + exactly(parts)
                                                               : exactly(list.front());
}

std::string axes_text(const sensor::FrontEnd& f) {
  bool letters = f.axes.size() <= 3;
  for (const sensor::Axis& axis : f.axes) letters = letters && axis.of < 3;
  std::string text;
  for (const sensor::Axis& axis : f.axes)
    text += (text.empty() ? "" : ", ") + std::string(axis.negative ? "-" : "") +
            (letters ? std::string(1, "xyz"[axis.of]) : "a" + std::to_string(axis.of));
  return text;
}

template <class T, std::size_t N>
std::string option(const char* key, const std::array<Word<T>, N>& words, T value, T usual) {
  return value == usual ? "" : std::string(", ") + key + "=" + std::string(word_of(words, value));
}

std::string window_text(const sensor::FrontEnd& f) {
  return std::to_string(f.length) + (f.offset != 0 ? ", offset=" + std::to_string(f.offset) : "") +
         option("at", kAtWords, f.at_end, false) +
         option("fill", kWindowFillWords, f.fill, sensor::Fill::kRefuse) +
         (f.roll != 0 ? ", roll=" + std::to_string(f.roll) : "") +
         (f.kept > 0 ? ", kept=" + std::to_string(f.kept) : "") +
         option("order", kStepOrderWords, f.newest_first, false);
}

std::string window_meaning(const sensor::FrontEnd& f) {
  std::string text = std::to_string(f.length) + " steps";
  if (f.at_end && f.offset == 0) text += ", the last ones";
  else if (f.offset != 0 || f.at_end)
    text +=
        ", from step " + std::to_string(f.offset) + (f.at_end ? " before the last" : "") + " on";
  if (f.kept > 0) text += ", of which the first " + std::to_string(f.kept) + " are read";
  if (f.roll != 0)
    text += ", read from step " + std::to_string(f.roll) + " on, then from the first";
  if (f.newest_first) text += ", the newest first";
  if (f.fill == sensor::Fill::kEdge) text += "; beyond the readings their last step again";
  if (f.fill == sensor::Fill::kZero) text += "; beyond the readings zeros";
  if (f.fill == sensor::Fill::kZeroLast) text += "; beyond the readings zeros, never normalised";
  return text;
}

std::string normalize_text(const sensor::FrontEnd& f) {
  std::string text;
  if (f.mean != std::vector<double>{0} || f.std != std::vector<double>{1})
    text = "mean=" + list_text(f.mean) + ", std=" + list_text(f.std);
  if (f.own != sensor::Own::kNone)
    text += (text.empty() ? "window=" : ", window=") + std::string(word_of(kOwnWords, f.own)) +
            option("over", kOverWords, f.over_all, false);
  return text;
}

std::string normalize_meaning(const sensor::FrontEnd& f) {
  std::string text;
  if (f.mean != std::vector<double>{0} || f.std != std::vector<double>{1})
    text = "subtracts the mean and divides by the deviation of each axis";
  const char* const own = f.own == sensor::Own::kMean              ? "without the window's mean"
                          : f.own == sensor::Own::kMeanAndVariance ? "by the window's mean and "
                                                                     "deviation"
                          : f.own == sensor::Own::kRange
                              ? "to 0..1 by the window's least and largest value"
                              : "";
  if (*own)
    text += (text.empty() ? "" : "; ") + std::string(own) +
            (f.over_all ? ", of all axes together" : ", each axis by itself");
  return text;
}

}  // namespace

std::vector<Spelled> spelled_readings(const sensor::FrontEnd& f) {
  std::vector<Spelled> steps;
  const auto add = [&](const char* name, const std::string& inside, std::string meaning) {
    steps.push_back({std::string(name) + "(" + inside + ")", std::move(meaning)});
  };
  if (!f.axes.empty())
    add("axes", axes_text(f) + option("at", kAtWords, f.axes_last, false),
        f.axes_last ? "the axes of the model, taken behind the normalisation"
                    : "the axes of the model, of the readings' axes");
  if (f.scale != std::vector<double>{1})
    add("scale", factor_text(f.scale), "into another unit: times " + factor_text(f.scale));
  if (f.rate > 0)
    add("rate",
        exactly(f.rate) +
            (f.kernel == sensor::Kernel::kLinear
                 ? ""
                 : ", " + std::string(word_of(kRateWords, f.kernel))) +
            (f.believed > 0 ? ", from=" + exactly(f.believed) : ""),
        "to " + number(f.rate, 7) + " steps a second, " +
            (f.kernel == sensor::Kernel::kNearest ? "by the step before"
             : f.kernel == sensor::Kernel::kMean  ? "by means of the steps in between"
             : f.kernel == sensor::Kernel::kLinear
                 ? "by straight lines between steps"
                 : "by the filter " + std::string(word_of(kRateWords, f.kernel))) +
            (f.believed > 0 ? "; the readings are taken to have " + number(f.believed, 7) : ""));
  // A window of all steps says what recipe this is where nothing else does.
  if (f.length > 0) add("window", window_text(f), window_meaning(f));
  else if (f.axes.empty() && f.rate <= 0) add("axes", "all", "all axes of the readings");
  if (const std::string text = normalize_text(f); !text.empty())
    add("normalize", text, normalize_meaning(f));
  if (f.axes_first) add("layout", "axes_first", "stored axis by axis, not step by step");
  if (f.quantize)
    add("quantize",
        (f.code_scale ? "scale=" + exactly(*f.code_scale) : std::string("model")) +
            (f.code_zero ? ", zero_point=" + std::to_string(*f.code_zero) : "") +
            option("round", kReadingsCodesWords, f.codes, sensor::Codes::kNearest) +
            option("sign", kSignWords, f.sign_flipped, false),
        std::string("to the model's integers") +
            (f.sign_flipped ? ", under the other convention of signs" : ""));
  return steps;
}

}  // namespace edgeprobe::preprocess
