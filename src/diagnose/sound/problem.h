// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "audio/model_input.h"

namespace edgeprobe::diagnose::sound {

/// One recording and the model input that the target made of it.
struct Observation {
  const audio::Clip* clip = nullptr;  ///< Borrowed.
  Tensor input;                       ///< In the target's type and shape.
};

/// How far a front end is from what was recorded, in units: one step of codes, or a thousandth of
/// the standard deviation within coefficients.
struct Score {
  double exact = 0;  ///< RMS.
  double fit = 0;    ///< RMS when every coefficient may be scaled and shifted freely.
};

/// The recorded inputs and a reference's front end, and what others score on them.
class Problem {
 public:
  /// kUsage when the inputs are not of the size that the reference makes.
  static Result<Problem> make(const std::vector<Observation>& observations,
                              const audio::FrontEnd& reference);

  /// Infinite where the front end cannot be run or makes another size.
  Score score(const audio::FrontEnd& front_end);
  /// Every recorded value against the unrounded ones of a front end; empty where it cannot be run.
  struct Pairs {
    std::vector<double> recorded, made;
    std::vector<std::size_t> coefficient;
  };
  Pairs pairs(const audio::FrontEnd& front_end);

  const audio::FrontEnd& reference() const { return reference_; }
  bool is_coded() const { return coded_; }
  double unit() const { return unit_; }  ///< In values of the model input.
  double tau() const { return tau_; }    ///< Below it a front end reproduces the input.
  double fit_tau() const { return fit_tau_; }
  std::size_t evaluations() const { return evaluations_; }
  /// Seconds of all recordings; of silence that they are padded with, a third.
  double seconds() const;
  /// What all hypotheses took so far, in `audio::Synthesis`' units.
  double work() const;
  /// The first input, frame by frame as the reference reads it: codes or values.
  const audio::Rows& recorded() const { return seen_.front().recorded; }
  /// `fit` of rows of the first input alone.
  double fit_of_rows(const audio::FrontEnd& front_end, std::size_t first, std::size_t end);
  bool is_destroyed() const { return distinct_ <= 4; }  ///< Hardly any values are left.
  /// The constant that the last rows of a recorded input are, where its recording ends before and
  /// the reference's rows there are another constant or none.
  std::optional<double> padded_with();

 private:
  struct Seen {
    audio::Rows recorded;  ///< Codes or values, frame by frame as the reference reads them.
    std::vector<bool> live;
    std::shared_ptr<audio::Synthesis> synthesis;
    const audio::Clip* clip;
  };
  std::optional<audio::Rows> made(Seen& seen, const audio::FrontEnd& front_end);
  /// Rows of one constant at both ends, of padding or digital silence, take no part in `fit`: they
  /// would rule it.
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
