// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "sensor/model_input.h"

namespace edgeprobe::diagnose::sensor {

namespace readings = edgeprobe::sensor;

/// Readings, and the target's model input made of them.
struct Observation {
  const readings::Series* series = nullptr;  ///< Borrowed.
  Tensor input;                              ///< In the target's type and shape.
};

/// How to read a recorded input before comparing it with columns of readings.
struct Reading {
  bool axes_first = false;    ///< Its values are stored axis by axis.
  bool sign_flipped = false;  ///< Its codes have the other sign convention.
};

/// The recorded inputs and a reference's front end; scores other front ends by their distance from
/// the recording. Front ends are in plain form (plain_form()).
class Problem {
 public:
  /// kUsage if the inputs do not have the reference's size, kCorrupt for non-finite values.
  static Result<Problem> make(const std::vector<Observation>& observations,
                              const readings::FrontEnd& reference);

  /// RMS in units: a code step, or a thousandth of an axis' standard deviation. Infinite if the
  /// front end cannot run or yields another size.
  double score(const readings::FrontEnd& front_end) const;
  /// Real values of an observation (codes by the reference's scale), step by step.
  readings::Table recorded(std::size_t observation, const Reading& reading) const;
  /// True for each value of `recorded` whose code is at an end of its range, so that it is only a
  /// bound.
  std::vector<bool> saturated(std::size_t observation, const Reading& reading) const;

  const readings::FrontEnd& reference() const { return reference_; }
  std::size_t observations() const { return seen_.size(); }
  const readings::Series& series(std::size_t observation) const {
    return *seen_[observation].series;
  }
  std::size_t axes() const { return axes_; }    ///< Number of axes of the model input.
  std::size_t steps() const { return steps_; }  ///< Number of its steps.
  bool is_coded() const { return coded_; }
  const readings::Coding& coding() const { return coding_; }
  double unit() const { return unit_; }  ///< A unit of the score in real values of the model input.
  /// Scores up to this reproduce the inputs.
  double tau() const { return coded_ ? kTauCodes : kTauReal; }
  /// A structure fits up to this residual if each axis may be scaled and shifted freely. Above
  /// tau() for codes, since other roundings differ by up to a step.
  double fit_tau() const { return coded_ ? kFitCodes : kTauReal; }
  bool is_destroyed() const {
    return distinct_ <= 2;
  }  ///< True if hardly any distinct values are left.

  static constexpr double kTauReal = 0.2, kTauCodes = 0.15, kFitCodes = 0.8;

 private:
  struct Seen {
    std::vector<double> stored;  ///< Codes or values in stored order.
    TensorSpec spec;
    const readings::Series* series;
  };
  std::size_t place(std::size_t step, std::size_t axis, bool axes_first) const {
    return axes_first ? axis * steps_ + step : step * axes_ + axis;
  }

  std::vector<Seen> seen_;
  readings::FrontEnd reference_;
  readings::Coding coding_;
  bool coded_ = false;
  std::size_t axes_ = 0, steps_ = 0, distinct_ = 0;
  double unit_ = 1;
};

/// The same front end with all axes named, ordered first, and one value for each axis.
readings::FrontEnd plain_form(readings::FrontEnd front_end, std::size_t axes);
/// Replaces lists of equal values by one value.
readings::FrontEnd short_form(readings::FrontEnd front_end);

}  // namespace edgeprobe::diagnose::sensor
