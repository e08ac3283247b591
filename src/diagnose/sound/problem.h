// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "audio/model_input.h"

namespace edgeprobe::diagnose::sound {

/// A recording, and the target's model input made of it.
struct Observation {
  const audio::Clip* clip = nullptr;  ///< Borrowed.
  Tensor input;                       ///< In the target's type and shape.
};

/// Distance of a front end from the recorded input, in units: a code step, or a thousandth of the
/// standard deviation within coefficients.
struct Score {
  double exact = 0;  ///< RMS.
  double fit = 0;    ///< RMS if every coefficient may be scaled and shifted freely.
};

/// The recorded inputs and a reference's front end; scores other front ends.
class Problem {
 public:
  /// kUsage if the inputs do not have the reference's size.
  static Result<Problem> make(const std::vector<Observation>& observations,
                              const audio::FrontEnd& reference);

  /// Infinite if the front end cannot run or yields another size.
  Score score(const audio::FrontEnd& front_end);
  /// Every recorded value with the unrounded value of a front end; empty if it cannot run.
  struct Pairs {
    std::vector<double> recorded, made;
    std::vector<std::size_t> coefficient;
  };
  Pairs pairs(const audio::FrontEnd& front_end);

  const audio::FrontEnd& reference() const { return reference_; }
  bool is_coded() const { return coded_; }
  double unit() const { return unit_; }  ///< A unit of the score in values of the model input.
  double tau() const { return tau_; }    ///< Up to this score a front end reproduces the input.
  double fit_tau() const { return fit_tau_; }
  std::size_t evaluations() const { return evaluations_; }
  /// Seconds of all recordings, plus a third of the silence that pads them.
  double seconds() const;
  /// Work of all hypotheses so far, in the units of `audio::Synthesis`.
  double work() const;
  /// Codes or values of the first input, frame by frame in the reference's layout.
  const audio::Rows& recorded() const { return seen_.front().recorded; }
  /// `fit` over some rows of only the first input.
  double fit_of_rows(const audio::FrontEnd& front_end, std::size_t first, std::size_t end);
  bool is_destroyed() const {
    return distinct_ <= 4;
  }  ///< True if hardly any distinct values are left.
  /// The constant in the last rows of a recorded input whose recording stops earlier, if the
  /// reference has another constant there, or none.
  std::optional<double> padded_with();

 private:
  struct Seen {
    audio::Rows recorded;  ///< Codes or values, frame by frame in the reference's layout.
    std::vector<bool> live;
    std::shared_ptr<audio::Synthesis> synthesis;
    const audio::Clip* clip;
  };
  std::optional<audio::Rows> made(Seen& seen, const audio::FrontEnd& front_end);
  /// Excludes constant rows at both ends from `fit`: padding or digital silence would dominate it.
  static void leave_out_constant_ends(Seen& seen);
  double squares_off(const Seen& seen, const audio::Rows& made, std::size_t first,
                     std::size_t end) const;

  std::vector<Seen> seen_;
  audio::FrontEnd reference_;
  audio::Coding coding_;
  bool coded_ = false;
  double unit_ = 1, tau_ = 1, fit_tau_ = 1;
  std::size_t evaluations_ = 0, distinct_ = 0;
  struct Hash {
    std::size_t operator()(const audio::FrontEnd& front_end) const;
  };
  std::unordered_map<audio::FrontEnd, Score, Hash> scores_;
};

}  // namespace edgeprobe::diagnose::sound
