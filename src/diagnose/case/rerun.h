// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "diagnose/case/case.h"
#include "diagnose/case/counterfactual.h"

namespace edgeprobe::diagnose {

/// Runs a model of the case on inputs that the traces may hold. One computation on the same bits
/// gives the same outputs, so an input whose outputs were recorded here is not run again. Whether
/// that is true of the engine is tried: the first kTried such inputs run, and if one gives other
/// bits than its recording, all do.
class Rerun {
 public:
  static constexpr std::size_t kTried = 8;

  /// `model` must outlive this object; so must the case's traces. `partner`: see partners().
  Rerun(const Case& known, std::map<std::uint32_t, std::uint32_t> partner,
        const pipeline::Pipeline& model);

  /// Outputs for one input. `frame`: the target's number of the frame that it belongs to.
  Result<Outputs> infer(std::uint32_t frame, const Tensor& input);

  const pipeline::Pipeline& model() const { return model_; }

 private:
  /// A trace that this computation recorded on this machine.
  struct Recording {
    const trace::Reader* reader = nullptr;
    bool by_partner = false;  ///< Its frames are numbered as the reference's.
  };
  Result<std::optional<Outputs>> recorded(std::uint32_t frame, const Tensor& input) const;

  const pipeline::Pipeline& model_;
  std::map<std::uint32_t, std::uint32_t> partner_;
  std::vector<Recording> recordings_;
  std::size_t tried_ = 0;
};

/// One of several replays of the same raw inputs.
struct Replay {
  Rerun* rerun = nullptr;
  const preprocess::Recipe* recipe = nullptr;
  Answers answers = {};  ///< Set by replay().
};

/// Runs raw inputs through the recipe and the model of each replay. Each raw input is read and
/// decoded once, and each model input made once. `which`: indices into raw.samples. A frame that a
/// recipe does not fit has no outputs.
Status replay(std::vector<Replay>& replays, const pipeline::TraceSamples& raw,
              const std::vector<std::size_t>& which, const std::string& title,
              const Control& control);

}  // namespace edgeprobe::diagnose
