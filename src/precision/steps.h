// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/control.h"
#include "layers/replay/fragment.h"
#include "model/attributes.h"
#include "precision/int8/plan.h"
#include "precision/step/step.h"
#include "precision/step/tail.h"
#include "precision/sums/number_format.h"
#include "precision/sums/sum.h"

namespace edgeprobe::precision {

/// Result of one step.
struct Stepped {
  Values outputs;
  double largest = 0;             ///< Largest value, finite or infinite, before storage.
  std::optional<double> partial;  ///< Largest partial sum, if sums were emulated.
  bool input_overflow = false;    ///< A finite input became infinite when stored.
  std::uint64_t not_finite = 0;   ///< NaN or infinite values despite finite inputs.
};

/// Stores the outputs of a step, and drops values that no later step reads.
void keep(std::size_t step, const std::map<int, std::size_t>& last, Stepped& made, Values& known);

/// Runs the steps of a model on a host engine, unchanged or with the reduced precision of a device.
class StepRunner {
 public:
  /// `host` and `model` must outlive it. Fails if the file's attributes or constants cannot be
  /// read. `apart`: as in steps_of().
  static Result<std::unique_ptr<StepRunner>> open(const layers::Host& host,
                                                  const layers::ModelFile& model,
                                                  const std::set<int>& apart = {});
  const std::vector<Step>& steps() const { return steps_; }
  /// Runs the step unchanged, in float32.
  Result<Stepped> exact(std::size_t step, const Values& known);
  /// Sets the ranges of all tensors, which kInt8 needs before reduced().
  Status calibrate(Ranges ranges);
  /// Overrides the ranges of these tensors from calibrate(), as if by another calibration, and sets
  /// the scales of weights.
  Status recalibrate(const Ranges& other, WeightScales weights);
  /// Runs the step on inputs and weights rounded to the scheme, with its outputs rounded.
  Result<Stepped> reduced(std::size_t step, Scheme scheme, const Values& known);
  /// Why the sums of a step are not emulated; "" if they are, or if it has none.
  const std::string& sums_skipped(std::size_t step) const { return skipped_[step]; }
  /// True if converters quantise this step; call after calibrate().
  bool is_quantised(std::size_t step) const { return int8_ && int8_->steps[step]; }
  /// The step that must be quantised so that this one is; -1 for none.
  int follows(std::size_t step) const { return int8_ ? int8_->follows[step] : -1; }
  bool multiplies(std::size_t step) const;  ///< True if the step's first operator multiplies
                                            ///< operands.
  /// True if a step has sums and they are emulated; call after exact().
  bool adds(std::size_t step) const;
  /// Constants that could not be rounded: their bytes are not in the file.
  std::size_t unrounded() const { return unrounded_; }
  /// Constants that became infinite in a scheme.
  std::size_t overflowed() const { return overflowed_; }

 private:
  StepRunner(const layers::Host& host, const layers::ModelFile& model)
      : host_(host), model_(model) {}
  Result<std::vector<Tensor>> run(std::size_t step, std::optional<Scheme> scheme,
                                  const std::vector<Tensor>& inputs);
  Status round_constants(Scheme scheme);
  bool rounds(std::size_t step, Scheme scheme) const;
  float stored(Scheme scheme, int tensor, float value) const;
  std::optional<Summed> sums(std::size_t step, const Values& known, const Tensor& output,
                             std::optional<Scheme> scheme);

  const layers::Host& host_;
  layers::ModelFile model_;
  std::vector<model::Attributes> attributes_;
  std::vector<Step> steps_;
  std::vector<Tail> tails_;
  std::vector<std::string> skipped_;
  std::vector<bool> checked_;
  std::optional<Int8> int8_;
  Ranges ranges_;                         ///< From calibrate().
  std::map<Scheme, Bytes> files_;         ///< Files with rounded constants, keyed by
                                          ///< constants_of().
  std::map<int, layers::Fragment> open_;  ///< Fragments of one step, by scheme; -1 for the
                                          ///< unchanged step.
  std::size_t opened_ = 0;
  std::size_t unrounded_ = 0, overflowed_ = 0;
};

/// The ranges of all tensors over these frames, in float32.
Result<Ranges> ranges_of(StepRunner& runner, std::vector<Values> frames, RangeRule rule,
                         const Control& control);

/// Numeric outputs of each frame, in the order of Graph::outputs, with every step under `scheme`
/// except those in `exact`, which use float32. kUnsupported for an output that no step makes.
Result<std::vector<std::vector<Tensor>>> emulate(StepRunner& runner, const layers::ModelFile& model,
                                                 std::vector<Values> inputs, Scheme scheme,
                                                 const std::set<std::size_t>& exact,
                                                 const Control& control);

}  // namespace edgeprobe::precision
