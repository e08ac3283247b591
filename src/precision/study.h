// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/control.h"
#include "engine/engine.h"
#include "layers/capture/logits.h"
#include "precision/prediction.h"
#include "precision/steps.h"

namespace edgeprobe::precision {

using Kepts = std::set<std::size_t>;

/// The model in float32: the baseline for every scheme.
struct Exact {
  std::vector<std::vector<std::vector<float>>> logits;  ///< Indexed by frame.
  std::vector<task::Outputs> outputs;
};

/// Errors of one step under one scheme, over all frames.
struct Errors {
  layers::Spread whole;
  std::vector<layers::Spread> channels;
};

struct Pass {
  Outcome outcome;
  std::optional<Kept> first;  ///< Where values stopped being finite.
};

/// Runs one model step by step over its frames: in float32, under a scheme, or with some steps kept
/// in float32.
class Study {
 public:
  Study(StepRunner& runner, const layers::ModelFile& model, const std::vector<Frame>& frames,
        const Control& control);

  /// Measures float32, and each layer separately under each scheme.
  Status measure(engine::Session& whole, Predicted& predicted);
  Result<Pass> pass(Scheme scheme, const Kepts& kept);
  /// Computes the ranges of all tensors over the frames, for kInt8.
  Status calibrate();
  std::size_t steps() const { return runner_.steps().size(); }
  bool rounds(std::size_t step, Scheme scheme) const {
    return scheme != Scheme::kInt8 || runner_.is_quantised(step);
  }

 private:
  Status add(std::size_t frame, const Values& known, std::vector<layers::Spread>& sums,
             std::vector<double>& scores, std::vector<double>& same, std::size_t& not_finite);
  std::vector<Values> fed() const;
  Status alone(std::size_t step, const Values& known, const Stepped& made, Prediction& prediction,
               Errors& errors);
  void tell() {
    ++done_;
    if (control_.progress) control_.progress(done_, std::max(done_, planned_), "layers");
  }

  StepRunner& runner_;
  const layers::ModelFile& model_;
  const std::vector<Frame>& frames_;
  const Control& control_;
  std::vector<int> logits_, outputs_;
  std::optional<task::Reading> reading_;
  Exact exact_;
  std::vector<double> largest_;      ///< Largest value of each step, in float32.
  std::map<int, std::size_t> last_;  ///< Step that reads a tensor last.
  std::size_t done_ = 0, planned_ = 0;
};

/// Evaluates the scheme of `prediction` on the model, and, if that breaks it, finds the layers to
/// keep in float32. Needs the results of Study::measure().
Status search(Study& study, Prediction& prediction);

}  // namespace edgeprobe::precision
