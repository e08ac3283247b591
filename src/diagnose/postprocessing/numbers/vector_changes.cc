// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "diagnose/postprocessing/numbers/vectors.h"
#include "search/rows.h"

namespace edgeprobe::diagnose::numbers {
namespace {

using namespace postprocess::embedding;  // NOLINT(google-build-using-namespace): its words alone.
using postprocess::Reading;
using VectorChange = search::Change<Recipe>;

class List {
 public:
  void add(std::uint32_t sets, double weight, std::string words, std::function<void(Recipe&)> apply,
           double free_bits = 0) {
    changes_.push_back({sets, weight, std::move(words), std::move(apply), free_bits});
  }
  /// Adds a change for every word of a recipe argument.
  void words(const char* argument, std::uint32_t sets, search::Weights weights = {}) {
    search::add_words(steps(), argument, sets, changes_, weights);
  }
  std::vector<VectorChange> take() { return std::move(changes_); }

 private:
  std::vector<VectorChange> changes_;
};

void add_pools(const Recipe& recipe, List& list) {
  list.words("pool.pool", kPool);
  if (recipe.mask) {
    list.add(kRows, 1, "counts padding as rows", [](Recipe& r) { r.rows = Rows::kAll; });
    list.add(kRows, 1.1, "leaves padding out", [](Recipe& r) { r.rows = Rows::kReal; });
  } else {
    list.add(kRows, 1.1, "pools all rows", [](Recipe& r) { r.rows = Rows::kReal; });
  }
  list.add(kRows, 1.2, "leaves the first and the last row out, as special tokens",
           [](Recipe& r) { r.rows = Rows::kInner; });
}

/// True if an input holds only zeros and ones, and both of them: a mask of rows.
bool is_mask(std::span<const RecordedFrame> frames, std::size_t input) {
  bool has_zero = false, has_one = false;
  for (const RecordedFrame& frame : frames) {
    if (input >= frame.inputs.size() || !is_integer(frame.inputs[input].spec.dtype)) return false;
    const auto values = to_float(frame.inputs[input]);
    if (!values) return false;
    for (const float value : *values) {
      if (value != 0 && value != 1) return false;
      (value == 0 ? has_zero : has_one) = true;
    }
  }
  return has_zero && has_one;
}

/// A reference without pooling names no mask, but an app that pools may use one.
void add_masks(std::span<const RecordedFrame> frames, const Recipe& recipe, List& list) {
  if (recipe.mask || frames.empty()) return;
  for (std::size_t i = 0; i < frames.front().inputs.size(); ++i)
    if (is_mask(frames, i))
      list.add(kRows, 1.05, "leaves padding out (input " + std::to_string(i) + " is the mask)",
               [i](Recipe& r) {
                 r.mask = i;
                 r.rows = Rows::kReal;
               });
}

void add_readings(List& list) {
  const std::pair<Reading, const char*> readings[] = {
      {Reading::kValues, "dequantises the output"},
      {Reading::kCodes, "takes the output's codes for values, without dequantising them"},
      {Reading::kNoZeroPoint, "dequantises the output without its zero point"},
      {Reading::kFlippedSign, "takes signed codes for unsigned ones, or the other way round"},
  };
  double weight = 1;
  for (const auto& [reading, words] : readings) {
    list.add(kVectorReading, weight, words,
             [reading = reading](Recipe& r) { r.reading = reading; });
    weight += 0.1;
  }
}

}  // namespace

std::vector<VectorChange> Vectors::changes(const Recipe& recipe) {
  List list;
  const std::vector<Tensor>& outputs = frames_.front().outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    list.add(kVectorOutput, 1.1, "reads output " + std::to_string(i),
             [i](Recipe& r) { r.output = i; });
  if (recipe.output < outputs.size() && !outputs[recipe.output].spec.quantization.empty())
    add_readings(list);
  add_pools(recipe, list);
  add_masks(frames_, recipe, list);
  list.words("normalize.norm", kNorm);
  list.words("quantize.as", kBits, {1.2, 0});
  if (recipe.length) {
    list.add(kLength, 1, "keeps all numbers of the vector", [](Recipe& r) { r.length.reset(); });
    list.add(kCutSide, 1, "cuts the vector before the norm",
             [](Recipe& r) { r.is_cut_after = false; });
    list.add(kCutSide, 1, "cuts the vector after the norm",
             [](Recipe& r) { r.is_cut_after = true; });
  }
  const std::size_t length = observed_.front().size();
  const bool is_one_length = std::all_of(observed_.begin(), observed_.end(),
                                         [&](const auto& one) { return one.size() == length; });
  if (is_one_length && length > 0 && recipe.length != length) {
    const std::string words = "keeps the first " + std::to_string(length) + " numbers";
    const double free_bits = std::log2(static_cast<double>(length) + 1);
    list.add(
        kLength, 1, words, [length](Recipe& r) { r.length = length; }, free_bits);
    if (!recipe.length)
      list.add(
          kLength, 1.1, words + ", after the norm",
          [length](Recipe& r) {
            r.length = length;
            r.is_cut_after = true;
          },
          free_bits);
  }
  return list.take();
}

}  // namespace edgeprobe::diagnose::numbers
