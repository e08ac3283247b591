// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "diagnose/postprocessing/masks/changes.h"
#include "search/rows.h"

namespace edgeprobe::diagnose::masks {
namespace {

using postprocess::Activation;
using postprocess::Reading;
using postprocess::segmentation::Decision;
using postprocess::segmentation::Misreading;
using postprocess::segmentation::Resizing;
using preprocess::Align;

class List {
 public:
  void add(std::uint32_t sets, double weight, std::string words,
           std::function<void(Recipe&)> apply) {
    changes_.push_back({sets, weight, std::move(words), std::move(apply), 0});
  }
  /// Adds a change for every word of a recipe argument.
  void words(const char* argument, std::uint32_t sets, search::Weights weights) {
    search::add_words(postprocess::segmentation::steps(), argument, sets, changes_, weights);
  }
  std::vector<Change> take() { return std::move(changes_); }

 private:
  std::vector<Change> changes_;
};

void add_cells(const Recipe& recipe, List& list) {
  list.words("output.turn", kTurn, {1, 0.05});
  if (recipe.decision != Decision::kArgmax) return;
  const std::pair<Misreading, std::string> misreadings[] = {
      {Misreading::kOtherLayout, recipe.is_channels_first
                                     ? "reads scores with classes first as if they were last"
                                     : "reads scores with classes last as if they were first"},
      {Misreading::kOverRows, "takes the largest score over rows in place of classes"},
      {Misreading::kOverColumns, "takes the largest score over columns in place of classes"},
  };
  for (const auto& [misreading, words] : misreadings)
    list.add(kMisreading, 1.1, words,
             [misreading = misreading](Recipe& r) { r.misreading = misreading; });
}

void add_scores(const Predictions& predictions, const Recipe& recipe, List& list) {
  const bool is_of_scores = recipe.resizing && recipe.resizing->is_of_scores;
  const bool has_threshold = recipe.decision == Decision::kThreshold;
  if (!has_threshold && !(recipe.decision == Decision::kArgmax && is_of_scores)) return;
  using enum Activation;
  std::vector<std::pair<std::vector<Activation>, const char*>> chains = {
      {{}, "takes scores as they are, without an activation"},
      {{kSigmoid}, "applies a sigmoid to the scores"},
      {{kSigmoid, kSigmoid}, "applies a sigmoid to the scores twice"},
  };
  if (!has_threshold)
    chains = {{{}, "takes scores as they are, without an activation"},
              {{kSoftmax}, "applies a softmax to the scores"},
              {{kSoftmax, kSoftmax}, "applies a softmax to the scores twice"},
              {{kSigmoid}, "applies a sigmoid to the scores"}};
  double weight = 1;
  for (const auto& [chain, words] : chains) {
    list.add(kActivation, weight, words, [chain = chain](Recipe& r) { r.activations = chain; });
    weight += 0.1;
  }
  if (!predictions.is_quantised()) return;
  list.add(kReading, 1, "takes the output's codes for values, without dequantising them",
           [](Recipe& r) { r.reading = Reading::kCodes; });
  list.add(kReading, 1, "dequantises the output", [](Recipe& r) { r.reading = Reading::kValues; });
  list.add(kReading, 1.2, "dequantises the output without its zero point",
           [](Recipe& r) { r.reading = Reading::kNoZeroPoint; });
  list.add(kReading, 1.2, "takes signed codes for unsigned ones, or the other way round",
           [](Recipe& r) { r.reading = Reading::kFlippedSign; });
}

void add_resizing(const Recipe& recipe, List& list) {
  if (!recipe.resizing) return;
  const Resizing& own = *recipe.resizing;
  const auto change = [&list](std::uint32_t sets, double weight, const char* words, auto set) {
    list.add(sets, weight, words, [set](Recipe& r) {
      if (r.resizing) set(*r.resizing);
    });
  };
  change(kKernel, 1,
         own.is_of_scores ? "resizes scores by the nearest cell"
                          : "resizes the mask by the nearest cell",
         [](Resizing& r) { r.is_bilinear = r.is_cut_down = false; });
  if (own.is_of_scores) {
    change(kKernel, 1, "resizes scores bilinearly", [](Resizing& r) { r.is_bilinear = true; });
  } else {
    change(kKernel, 1, "resizes class numbers bilinearly, so that others appear between two",
           [](Resizing& r) { r.is_bilinear = true, r.is_cut_down = false; });
    change(kKernel, 1.1,
           "resizes class numbers bilinearly and cuts them down, so that others appear between two",
           [](Resizing& r) { r.is_bilinear = r.is_cut_down = true; });
  }
  change(kAlign, 1.1, "resizes from the top left corner of each pixel",
         [](Resizing& r) { r.align = Align::kLegacy; });
  change(kAlign, 1.2, "resizes so that the corner pixels fall on those of the output",
         [](Resizing& r) { r.align = Align::kCorners; });
  change(kAlign, 1.1, "resizes from the centre of each pixel",
         [](Resizing& r) { r.align = Align::kHalfPixel; });
  if (recipe.decision != Decision::kIds)
    change(kWhen, 1,
           own.is_of_scores ? "decides for classes before it resizes"
                            : "resizes scores before it decides for classes",
           [](Resizing& r) {
             r.is_of_scores = !r.is_of_scores;
             r.is_bilinear = r.is_of_scores;
             r.is_cut_down = false;
           });
  list.words("resize.frame", kFrame, {1, 0.1});
  if (own.is_of_scores && own.is_bilinear && recipe.decision != Decision::kIds)
    list.words("resize.through", kThrough, {1.1, 0.1});
}

void add_numbers(const Recipe& recipe, List& list) {
  list.add(kShift, 1.1, "hands on class numbers that are one too high",
           [](Recipe& r) { r.shift = 1; });
  list.add(kShift, 1.1, "hands on class numbers that are one too low",
           [](Recipe& r) { r.shift = -1; });
  if (!recipe.colors) return;
  list.add(kColors, 1, "exchanges red and blue of the colours", [](Recipe& r) { r.is_bgr = true; });
  list.add(kColors, 1, "hands on class numbers in place of colours",
           [](Recipe& r) { r.colors.reset(); });
}

}  // namespace

std::vector<Change> catalogue(const Predictions& predictions, const Recipe& recipe) {
  List list;
  add_cells(recipe, list);
  add_scores(predictions, recipe, list);
  add_resizing(recipe, list);
  add_numbers(recipe, list);
  return list.take();
}

}  // namespace edgeprobe::diagnose::masks
