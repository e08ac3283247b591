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

/// The model in float32: what every scheme is held against.
struct Exact {
  std::vector<std::vector<std::vector<float>>> logits;  ///< By frame.
  std::vector<task::Outputs> outputs;
};

/// Of one step under one scheme, over all frames.
struct Errors {
  layers::Spread whole;
  std::vector<layers::Spread> channels;
};

struct Pass {
  Outcome outcome;
  std::optional<Kept> first;  ///< Where values stopped being finite.
};

/// Runs of one model over its frames, step by step: in float32, under a scheme, or with some steps
/// kept in float32.
class Study {
 public:
  Study(StepRunner& runner, const layers::ModelFile& model, const std::vector<Frame>& frames,
        const Control& control);

  /// Float32, and each layer alone under each scheme.
  Status measure(engine::Session& whole, Predicted& predicted);
  Result<Pass> pass(Scheme scheme, const Kepts& kept);
  /// Ranges of all tensors over the frames, for kInt8.
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
  std::vector<double> largest_;      ///< Of the values of each step, in float32.
  std::map<int, std::size_t> last_;  ///< Step that reads a tensor last.
  std::size_t done_ = 0, planned_ = 0;
};

/// What the scheme of `prediction` does to the model, and, where that breaks it, which layers to
/// keep in float32. Needs what Study::measure() has put into it.
Status search(Study& study, Prediction& prediction);

}  // namespace edgeprobe::precision
