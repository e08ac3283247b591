// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "sensor/model_input.h"

namespace edgeprobe::diagnose::sensor {

namespace readings = edgeprobe::sensor;

/// Readings and the model input that the target made of them.
struct Observation {
  const readings::Series* series = nullptr;  ///< Borrowed.
  Tensor input;                              ///< In the target's type and shape.
};

/// How a recorded input is read before it is compared with columns of readings.
struct Reading {
  bool axes_first = false;    ///< Its values follow each other axis by axis.
  bool sign_flipped = false;  ///< Its codes have the other sign convention.
};

/// The recorded inputs and a reference's front end, and how far others are from what was recorded.
/// Front ends are in their plain form (plain_form()).
class Problem {
 public:
  /// kUsage when the inputs are not of the size that the reference makes, kCorrupt for values that
  /// are not finite.
  static Result<Problem> make(const std::vector<Observation>& observations,
                              const readings::FrontEnd& reference);

  /// RMS in units: one step of codes, or a thousandth of the standard deviation of an axis.
  /// Infinite where the front end cannot be run or makes another size.
  double score(const readings::FrontEnd& front_end) const;
  /// Of an observation, real values (codes by the reference's scale), step by step.
  readings::Table recorded(std::size_t observation, const Reading& reading) const;
  /// Whether a code at that place (of `recorded`) is at an end of its range, so that its value says
  /// no more than that.
  std::vector<bool> saturated(std::size_t observation, const Reading& reading) const;

  const readings::FrontEnd& reference() const { return reference_; }
  std::size_t observations() const { return seen_.size(); }
  const readings::Series& series(std::size_t observation) const {
    return *seen_[observation].series;
  }
  std::size_t axes() const { return axes_; }    ///< Of the model input.
  std::size_t steps() const { return steps_; }  ///< The same.
  bool is_coded() const { return coded_; }
  const readings::Coding& coding() const { return coding_; }
  double unit() const { return unit_; }  ///< In real values of the model input.
  double tau() const { return coded_ ? kTauCodes : kTauReal; }  ///< Reproduced below it.
  /// A structure fits below it when each axis may be scaled and shifted freely. Above tau() for
  /// codes, since roundings other than the reference's leave up to a step.
  double fit_tau() const { return coded_ ? kFitCodes : kTauReal; }
  bool is_destroyed() const { return distinct_ <= 2; }  ///< Hardly any values are left.

  static constexpr double kTauReal = 0.2, kTauCodes = 0.15, kFitCodes = 0.8;

 private:
  struct Seen {
    std::vector<double> stored;  ///< Codes or values as they follow each other.
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

/// The same front end with all axes named, their order taken first, and a number for each axis.
readings::FrontEnd plain_form(readings::FrontEnd front_end, std::size_t axes);
/// Lists of equal numbers as one.
readings::FrontEnd short_form(readings::FrontEnd front_end);

}  // namespace edgeprobe::diagnose::sensor
