// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <type_traits>

#include "contract/mutate/catalogue.h"
#include "kinds/answer_kinds.h"

namespace edgeprobe::contract {
namespace {

// Collects changes of one kind of recipe behind the model, as texts that the pipeline runs.
template <class Post>
class AnswerFaults {
 public:
  AnswerFaults(const preprocess::Recipe& recipe, const Post& right, Catalogue& into)
      : recipe_(recipe), right_(right), into_(into) {}

  const Post& right() const { return right_; }
  /// A change without a word of its own in a recipe is listed as not planted.
  template <class Change>
  void add(const std::string& what, const Change& change) {
    Post wrong = right_;
    change(wrong);
    if (wrong == right_) return;
    preprocess::Recipe mutated = recipe_;
    mutated.post = to_text(wrong);
    if (mutated.post == to_text(right_))
      into_.unplanted.push_back({"postprocessing", what, "no step of a recipe says it"});
    else into_.faults.push_back({"postprocessing", what, std::move(mutated), {}});
  }
  /// Of recipes with activations of scores.
  void activations(postprocess::Activation usual, const std::string& name) {
    if (right_.activations.empty())
      add(name + " once more", [=](Post& wrong) { wrong.activations = {usual}; });
    else add(name + " forgotten", [](Post& wrong) { wrong.activations.clear(); });
  }

 private:
  const preprocess::Recipe& recipe_;
  const Post& right_;
  Catalogue& into_;
};

void plant(AnswerFaults<postprocess::Classification>& faults) {
  using Post = postprocess::Classification;
  const Post& right = faults.right();
  faults.activations(postprocess::Activation::kSoftmax, "softmax");
  faults.add("the smallest scores first",
             [](Post& wrong) { wrong.order = postprocess::Order::kAscending; });
  if (right.labels) {
    faults.add("labels one line too far", [](Post& wrong) { ++wrong.labels->shift; });
    faults.add("labels one line too early", [](Post& wrong) { --wrong.labels->shift; });
    faults.add("labels sorted by the alphabet",
               [](Post& wrong) { wrong.labels->order = postprocess::TableOrder::kAlphabetical; });
  }
  faults.add("the first class left out", [](Post& wrong) { ++wrong.skip; });
  if (right.threshold) faults.add("half the threshold", [](Post& wrong) { *wrong.threshold /= 2; });
  if (right.most) faults.add("one answer more", [](Post& wrong) { ++*wrong.most; });
}

// Where places lie in the picture: of boxes and of points.
template <class Post>
void plant_places(AnswerFaults<Post>& faults) {
  for (const auto& [scale, what] :
       {std::pair{postprocess::detection::Scale::kShares, "places as shares (0..1)"},
        {postprocess::detection::Scale::kModelPixels, "places in pixels of the model's input"},
        {postprocess::detection::Scale::kStretched, "places as if the picture had been stretched"},
        {postprocess::detection::Scale::kLetterbox, "places as if there were bars right or below"},
        {postprocess::detection::Scale::kCentredLetterbox, "places as if there were bars around"}})
    faults.add(what, [scale = scale](Post& wrong) { wrong.placement.scale = scale; });
  faults.add("x scaled by the height, y by the width", [](Post& wrong) {
    wrong.placement.scale = postprocess::detection::Scale::kSidesExchanged;
  });
  faults.add("places mirrored", [](Post& wrong) {
    wrong.placement.mirror = postprocess::detection::Mirror::kLeftRight;
  });
}

void plant(AnswerFaults<postprocess::detection::Recipe>& faults) {
  namespace detection = postprocess::detection;
  using Post = detection::Recipe;
  const Post& right = faults.right();
  if (!right.is_suppressed()) faults.activations(postprocess::Activation::kSigmoid, "sigmoid");
  if (right.skip > 0) faults.add("the background is a class", [](Post& wrong) { wrong.skip = 0; });
  faults.add(right.threshold > 0 ? "no threshold" : "a threshold of 0.5",
             [&](Post& wrong) { wrong.threshold = right.threshold > 0 ? 0 : 0.5; });
  if (right.threshold > 0)
    faults.add("half the threshold", [](Post& wrong) { wrong.threshold /= 2; });
  if (right.suppression.rivals != detection::Rivals::kNone) {
    faults.add("boxes not suppressed",
               [](Post& wrong) { wrong.suppression.rivals = detection::Rivals::kNone; });
    faults.add("boxes of other classes suppressed",
               [](Post& wrong) { wrong.suppression.rivals = detection::Rivals::kAllClasses; });
    faults.add("half the overlap allowed", [](Post& wrong) { wrong.suppression.limit /= 2; });
  }
  if (right.decoding.coder != detection::Coder::kBoxes)
    faults.add("variances forgotten", [](Post& wrong) {
      wrong.decoding.centre_variance = wrong.decoding.size_variance = 1;
    });
  for (const detection::CodeOrder order : detection::kCodeOrders)
    if (detection::is_of_corners(order) == detection::is_of_corners(right.decoding.order))
      faults.add(std::string("codes read as ") + detection::name(order),
                 [order](Post& wrong) { wrong.decoding.order = order; });
  if (right.labels) {
    faults.add("labels one line too far", [](Post& wrong) { ++wrong.labels->shift; });
    faults.add("labels one line too early", [](Post& wrong) { --wrong.labels->shift; });
  }
  for (const detection::Report report : {detection::Report::kXyxy, detection::Report::kYxyx,
                                         detection::Report::kXywh, detection::Report::kCxcywh})
    faults.add(std::string("boxes handed on as ") + detection::name(report),
               [report](Post& wrong) { wrong.report = report; });
  plant_places(faults);
}

void plant(AnswerFaults<postprocess::segmentation::Recipe>& faults) {
  namespace segmentation = postprocess::segmentation;
  using Post = segmentation::Recipe;
  const Post& right = faults.right();
  if (right.decision == segmentation::Decision::kThreshold) {
    faults.activations(postprocess::Activation::kSigmoid, "sigmoid");
    faults.add("half the threshold", [](Post& wrong) { wrong.threshold /= 2; });
  }
  if (right.decision == segmentation::Decision::kArgmax)
    faults.add("classes first for classes last, or the other way round",
               [](Post& wrong) { wrong.is_channels_first = !wrong.is_channels_first; });
  if (right.resizing) {
    faults.add("the mask not resized", [](Post& wrong) { wrong.resizing.reset(); });
    faults.add(right.resizing->is_bilinear ? "nearest for bilinear" : "bilinear for nearest",
               [](Post& wrong) { wrong.resizing->is_bilinear = !wrong.resizing->is_bilinear; });
    for (const auto& [align, what] :
         {std::pair{preprocess::Align::kLegacy, "resized from corners of pixels"},
          {preprocess::Align::kCorners, "resized with aligned corners"},
          {preprocess::Align::kHalfPixel, "resized from centres of pixels"}})
      faults.add(what, [align = align](Post& wrong) { wrong.resizing->align = align; });
    if (right.decision != segmentation::Decision::kIds)
      faults.add(right.resizing->is_of_scores ? "decided before it is resized"
                                              : "resized before it is decided",
                 [](Post& wrong) {
                   wrong.resizing->is_of_scores = !wrong.resizing->is_of_scores;
                   wrong.resizing->is_bilinear = wrong.resizing->is_of_scores;
                 });
    for (const auto& [frame, what] :
         {std::pair{postprocess::detection::Scale::kStretched, "bars not cut off"},
          {postprocess::detection::Scale::kLetterbox, "bars right or below cut off"},
          {postprocess::detection::Scale::kCentredLetterbox, "bars around cut off"}})
      faults.add(what, [frame = frame](Post& wrong) { wrong.frame = frame; });
  }
  if (right.colors) {
    faults.add("class numbers for colours", [](Post& wrong) { wrong.colors.reset(); });
    faults.add("red and blue of the colours exchanged", [](Post& wrong) { wrong.is_bgr = true; });
  }
  faults.add("class numbers one too high", [](Post& wrong) { wrong.shift = 1; });
  faults.add("the mask mirrored", [](Post& wrong) { wrong.turn = segmentation::Turn::kLeftRight; });
  faults.add("rows and columns exchanged",
             [](Post& wrong) { wrong.turn = segmentation::Turn::kTransposed; });
}

void plant(AnswerFaults<postprocess::pose::Recipe>& faults) {
  using Post = postprocess::pose::Recipe;
  const Post& right = faults.right();
  faults.add("x read for y and y for x", [](Post& wrong) {
    std::swap(wrong.numbers[wrong.numbers.find('x')], wrong.numbers[wrong.numbers.find('y')]);
  });
  faults.add("points taken for pixels of the model's input, or for shares",
             [](Post& wrong) { wrong.are_model_pixels = !wrong.are_model_pixels; });
  if (right.numbers.find('s') != std::string::npos)
    faults.activations(postprocess::Activation::kSigmoid, "sigmoid");
  if (right.threshold) {
    faults.add("half the threshold", [](Post& wrong) { *wrong.threshold /= 2; });
    faults.add("no threshold", [](Post& wrong) { wrong.threshold.reset(); });
  }
  faults.add("y handed on before x", [](Post& wrong) { wrong.is_y_first = true; });
  plant_places(faults);
}

void plant(AnswerFaults<postprocess::embedding::Recipe>& faults) {
  namespace embedding = postprocess::embedding;
  using Post = embedding::Recipe;
  const Post& right = faults.right();
  if (right.pool != embedding::Pool::kNone) {
    for (const auto& [pool, what] : {std::pair{embedding::Pool::kMean, "rows pooled by the mean"},
                                     {embedding::Pool::kSum, "rows summed up"},
                                     {embedding::Pool::kLargest, "rows pooled by the largest"},
                                     {embedding::Pool::kFirst, "the first row alone"}})
      faults.add(what, [pool = pool](Post& wrong) { wrong.pool = pool; });
    faults.add("padding pooled as well", [](Post& wrong) { wrong.mask.reset(); });
  }
  faults.add(right.norm == embedding::Norm::kNone ? "normalised (L2)" : "not normalised",
             [&](Post& wrong) {
               wrong.norm = right.norm == embedding::Norm::kNone ? embedding::Norm::kL2
                                                                 : embedding::Norm::kNone;
             });
  if (right.length) faults.add("not cut", [](Post& wrong) { wrong.length.reset(); });
  faults.add(right.bits == embedding::Bits::kNone ? "rounded to 8 bits" : "not rounded to 8 bits",
             [&](Post& wrong) {
               wrong.bits = right.bits == embedding::Bits::kNone ? embedding::Bits::kValues
                                                                 : embedding::Bits::kNone;
             });
}

void plant(AnswerFaults<postprocess::anomaly::Recipe>& faults) {
  namespace anomaly = postprocess::anomaly;
  using Post = anomaly::Recipe;
  const Post& right = faults.right();
  if (right.measure != anomaly::Measure::kOutput)
    for (const auto& [measure, what] :
         {std::pair{anomaly::Measure::kMse, "the mean of squares"},
          {anomaly::Measure::kMae, "the mean of absolute differences"},
          {anomaly::Measure::kRmse, "the root of the mean of squares"},
          {anomaly::Measure::kSse, "the sum of squares"}})
      faults.add(what, [measure = measure](Post& wrong) { wrong.measure = measure; });
  for (const auto& [windows, what] :
       {std::pair{anomaly::Windows::kMean, "windows pooled by the mean"},
        {anomaly::Windows::kLargest, "windows pooled by the largest"},
        {anomaly::Windows::kFirst, "the first window alone"}})
    faults.add(what, [windows = windows](Post& wrong) { wrong.windows = windows; });
  if (right.threshold) {
    faults.add("half the threshold", [](Post& wrong) { *wrong.threshold /= 2; });
    faults.add("the alarm inverted", [](Post& wrong) { wrong.is_inverted = !wrong.is_inverted; });
  }
}

}  // namespace

void add_answer_faults(const preprocess::Recipe& recipe, Catalogue& into) {
  if (recipe.post.empty()) return;
  const auto right = kinds::parse_answer(recipe.post);
  if (!right) return;  // A text that the pipeline has parsed.
  const auto plant_into = [&]<class Post>(const Post& post) {
    AnswerFaults<Post> faults(recipe, post, into);
    plant(faults);
  };
  std::visit(plant_into, *right);
}

}  // namespace edgeprobe::contract
