// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "diagnose/postprocessing/numbers/frame.h"
#include "diagnose/postprocessing/numbers/precision.h"
#include "postprocess/transcript/decode.h"
#include "search/problem.h"

/// Searches faults after text recognisers, in outputs and texts that the target recorded.
namespace edgeprobe::diagnose::transcripts {

using numbers::RecordedFrame;

/// Parameters of a recogniser's recipe.
enum Parameter : std::uint32_t {
  kOutput = 1U << 0,
  kReading = 1U << 1,
  kActivations = 1U << 2,
  kBlank = 1U << 3,
  kSpace = 1U << 4,
  kRepeats = 1U << 5,
  kBlanks = 1U << 6,
  kShift = 1U << 7,
  kConfidence = 1U << 8,
};

/// Predicts the texts and confidences of recipes on the recorded outputs, and their distance to the
/// recorded ones. All frames have a text. Borrows the frames; caches paths.
class Transcripts : public search::Problem<postprocess::transcript::Recipe> {
 public:
  using Recipe = postprocess::transcript::Recipe;

  Transcripts(std::span<const RecordedFrame> frames, const Recipe& reference);

  const Recipe& reference() const override { return reference_; }
  std::size_t frames() const override { return frames_.size(); }
  /// True if each text has one score, so that confidences are compared.
  bool has_confidences() const { return has_confidences_; }

  /// 0 to 3: edits of the text, and the relative difference of its confidence.
  double distance(const Recipe& recipe, std::size_t frame) override;
  bool is_same(const Recipe& recipe, std::size_t frame) override {
    return distance(recipe, frame) <= 0;
  }
  std::vector<search::Change<Recipe>> changes(const Recipe& recipe) override;
  double bits(const Recipe& with_it, const Recipe& without_it, const search::Change<Recipe>& change,
              std::span<const std::size_t> frames) override;
  /// Reason why the reference's recipe cannot run on the frames; empty if it can.
  std::string why_not();

 private:
  struct Walked {
    postprocess::transcript::Path path;
    std::string error;  ///< Empty if the recipe can read the outputs.
  };
  const Walked& walked(const Recipe& recipe, std::size_t frame);
  bool is_same_confidence(double said, double seen) const;

  using Key = std::tuple<std::size_t, postprocess::Reading, std::vector<postprocess::Activation>,
                         bool, std::size_t>;
  std::span<const RecordedFrame> frames_;
  Recipe reference_;
  bool has_confidences_ = true;
  numbers::Precision precision_;
  std::map<Key, Walked> walked_;
};

/// Recipe step that a change concerns: "ctc".
std::string_view step_of(const search::Change<postprocess::transcript::Recipe>& change);
/// Lines of NumPy for the change's step as in the reference; empty if there is no usual one.
std::string fix_line(const search::Change<postprocess::transcript::Recipe>& change,
                     const postprocess::transcript::Recipe& reference);

/// True if the texts or confidences of two recipes differ on a frame's outputs.
bool differ(const postprocess::transcript::Recipe& a, const postprocess::transcript::Recipe& b,
            const RecordedFrame& frame);
/// A text on which they differ, in words: "a text with a doubled character". Empty: not known.
std::string deciding_input(const postprocess::transcript::Recipe& a,
                           const postprocess::transcript::Recipe& b,
                           std::span<const RecordedFrame> frames);

}  // namespace edgeprobe::diagnose::transcripts
