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

/// What became of one step.
struct Stepped {
  Values outputs;
  double largest = 0;             ///< Finite or infinite, of what it made before it was stored.
  std::optional<double> partial;  ///< Largest partial sum, where sums were emulated.
  bool input_overflow = false;    ///< A finite input became infinite when it was stored.
  std::uint64_t not_finite = 0;   ///< Values that are NaN or infinite where inputs were finite.
};

/// Takes what a step made, and drops the values that no later step reads.
void keep(std::size_t step, const std::map<int, std::size_t>& last, Stepped& made, Values& known);

/// Steps of a model on a host engine, as they are or as a device of less precision computes them.
class StepRunner {
 public:
  /// `host` and `model` must outlive it. Fails when the file's attributes or constants cannot be
  /// read. `apart`: as steps_of() takes it.
  static Result<std::unique_ptr<StepRunner>> open(const layers::Host& host,
                                                  const layers::ModelFile& model,
                                                  const std::set<int>& apart = {});
  const std::vector<Step>& steps() const { return steps_; }
  /// The step as the file says, in float32.
  Result<Stepped> exact(std::size_t step, const Values& known);
  /// Takes the ranges of all tensors, which kInt8 needs before reduced().
  Status calibrate(Ranges ranges);
  /// Gives these tensors other ranges than calibrate() found, as another calibration would, and
  /// weights these scales.
  Status recalibrate(const Ranges& other, WeightScales weights);
  /// The step on inputs and weights rounded to the scheme, its outputs rounded.
  Result<Stepped> reduced(std::size_t step, Scheme scheme, const Values& known);
  /// Why the sums of a step are not emulated; "" when they are, or it has none.
  const std::string& sums_skipped(std::size_t step) const { return skipped_[step]; }
  /// Whether converters let a step compute on codes; after calibrate().
  bool is_quantised(std::size_t step) const { return int8_ && int8_->steps[step]; }
  /// The step that has to compute on codes for this one to do so; -1 for none.
  int follows(std::size_t step) const { return int8_ ? int8_->follows[step] : -1; }
  bool multiplies(std::size_t step) const;  ///< Whether the step's first operator does.
  /// Whether a step adds up, and its sums are emulated; after exact().
  bool adds(std::size_t step) const;
  /// Constants that could not be rounded: their bytes are not in the file.
  std::size_t unrounded() const { return unrounded_; }
  /// Constants of which a scheme made infinities.
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
  Ranges ranges_;                         ///< That calibrate() found.
  std::map<Scheme, Bytes> files_;         ///< With rounded constants, by constants_of().
  std::map<int, layers::Fragment> open_;  ///< Of one step, by scheme; -1 as the file says.
  std::size_t opened_ = 0;
  std::size_t unrounded_ = 0, overflowed_ = 0;
};

/// The ranges of all tensors over these frames, in float32.
Result<Ranges> ranges_of(StepRunner& runner, std::vector<Values> frames, RangeRule rule,
                         const Control& control);

/// Numeric outputs of each frame, in the order of Graph::outputs, with every step under `scheme`
/// but those in `exact`, which are computed in float32. kUnsupported for an output that no step
/// makes.
Result<std::vector<std::vector<Tensor>>> emulate(StepRunner& runner, const layers::ModelFile& model,
                                                 std::vector<Values> inputs, Scheme scheme,
                                                 const std::set<std::size_t>& exact,
                                                 const Control& control);

}  // namespace edgeprobe::precision
