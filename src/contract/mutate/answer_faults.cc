// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "contract/mutate/catalogue.h"
#include "kinds/answer_kinds.h"
#include "recipe/faults.h"

namespace edgeprobe::contract {
namespace {

namespace detection = postprocess::detection;
namespace embedding = postprocess::embedding;
namespace segmentation = postprocess::segmentation;

// Collects changes of one kind of post-processing recipe, as texts that the pipeline runs.
template <class Post>
class AnswerFaults {
 public:
  AnswerFaults(const preprocess::Recipe& recipe, const Post& right, Catalogue& into)
      : recipe_(recipe), right_(right), into_(into) {}

  const Post& right() const { return right_; }
  /// Lists a change as not planted if no recipe can express it.
  template <class Change>
  void add(const std::string& what, const Change& change) {
    Post wrong = right_;
    change(wrong);
    if (wrong == right_) return;
    preprocess::Recipe mutated = recipe_;
    mutated.post = to_text(wrong);
    if (mutated.post == to_text(right_) || !kinds::parse_answer(mutated.post))
      into_.unplanted.push_back({"postprocessing", what, "no step of a recipe says it"});
    else into_.faults.push_back({"postprocessing", what, std::move(mutated), {}});
  }
  /// Adds changes of the activations, for recipes that have them.
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

// Faults that change several arguments, or a whole step. Most kinds have only single-argument
// faults.
template <class Post>
void plant(AnswerFaults<Post>&) {}

void plant(AnswerFaults<postprocess::Classification>& faults) {
  faults.activations(postprocess::Activation::kSoftmax, "softmax");
}

void plant(AnswerFaults<detection::Recipe>& faults) {
  if (!faults.right().is_suppressed())
    faults.activations(postprocess::Activation::kSigmoid, "sigmoid");
  if (faults.right().decoding.coder != detection::Coder::kBoxes && faults.right().is_apart())
    faults.add("variances forgotten", [](detection::Recipe& wrong) {
      wrong.decoding.centre_variance = wrong.decoding.size_variance = 1;
    });
}

void plant(AnswerFaults<segmentation::Recipe>& faults) {
  using Post = segmentation::Recipe;
  const Post& right = faults.right();
  if (right.decision == segmentation::Decision::kThreshold)
    faults.activations(postprocess::Activation::kSigmoid, "sigmoid");
  if (right.resizing) {
    faults.add("the mask not resized", [](Post& wrong) { wrong.resizing.reset(); });
    if (right.decision != segmentation::Decision::kIds)
      faults.add(right.resizing->is_of_scores ? "decided before it is resized"
                                              : "resized before it is decided",
                 [](Post& wrong) {
                   wrong.resizing->is_of_scores = !wrong.resizing->is_of_scores;
                   wrong.resizing->is_bilinear = wrong.resizing->is_of_scores;
                 });
  }
  if (right.colors)
    faults.add("class numbers for colours", [](Post& wrong) { wrong.colors.reset(); });
}

void plant(AnswerFaults<postprocess::pose::Recipe>& faults) {
  using Post = postprocess::pose::Recipe;
  faults.add("x read for y and y for x", [](Post& wrong) {
    std::swap(wrong.numbers[wrong.numbers.find('x')], wrong.numbers[wrong.numbers.find('y')]);
  });
  if (faults.right().numbers.find('s') != std::string::npos)
    faults.activations(postprocess::Activation::kSigmoid, "sigmoid");
}

void plant(AnswerFaults<postprocess::transcript::Recipe>& faults) {
  faults.activations(postprocess::Activation::kSoftmax, "softmax");
}

void plant(AnswerFaults<embedding::Recipe>& faults) {
  if (faults.right().bits == embedding::Bits::kNone)
    faults.add("rounded to 8 bits",
               [](embedding::Recipe& wrong) { wrong.bits = embedding::Bits::kValues; });
}

}  // namespace

void add_answer_faults(const preprocess::Recipe& recipe, Catalogue& into) {
  if (recipe.post.empty()) return;
  const auto right = kinds::parse_answer(recipe.post);
  if (!right) return;  // The pipeline has already parsed this text.
  const recipe::Steps steps = kinds::kind_of(kinds::id_of(*right)).steps();
  const auto plant_into = [&]<class Post>(const Post& post) {
    AnswerFaults<Post> faults(recipe, post, into);
    for (const recipe::Fault& fault : recipe::faults(steps, &post))
      faults.add(fault.what, [&](Post& wrong) { fault.plant(&wrong); });
    plant(faults);
  };
  std::visit(plant_into, *right);
}

}  // namespace edgeprobe::contract
