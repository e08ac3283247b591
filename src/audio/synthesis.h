// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "audio/clip.h"
#include "audio/spectrum.h"
#include "core/result.h"

namespace edgeprobe::audio {

/// Triangular filters over the bins of a spectrum.
struct FilterBank {
  struct Filter {
    std::size_t first = 0;        ///< Bin of the first weight.
    std::vector<double> weights;  ///< All bins after the last weight have weight 0.
  };
  std::vector<Filter> filters;
};
FilterBank filter_bank(const FrontEnd& front_end, double rate);

/// Applies each filter to each row of a spectrum.
Rows filtered(const FilterBank& bank, const Rows& spectrum);

/// Runs front ends on one recording, and caches signals and spectra that several share. The clip
/// must outlive it.
class Synthesis {
 public:
  explicit Synthesis(const Clip& clip) : clip_(&clip) {}

  /// Output of the front end before layout and codes. kUsage if its members contradict each other
  /// or the recording.
  Result<Rows> features(const FrontEnd& front_end);

  /// Work so far, in thousands of multiplications. Unlike time, it is equal on every machine.
  double work() const { return work_; }

 private:
  template <class Made>
  struct Kept {
    FrontEnd of;  ///< The front end up to this stage; later members have their defaults.
    std::shared_ptr<const Made> made;
  };
  Result<std::shared_ptr<const std::vector<double>>> signal(const FrontEnd& front_end);
  Result<std::shared_ptr<const Rows>> spectrum(const FrontEnd& front_end);
  std::shared_ptr<const FilterBank> bank(const FrontEnd& front_end);

  const Clip* clip_;
  double work_ = 0;
  std::deque<Kept<std::vector<double>>> signals_;
  std::deque<Kept<Rows>> spectra_;  ///< Magnitudes or power.
  std::deque<Kept<FilterBank>> banks_;
};

/// Checks that the members are consistent: a filter bank needs frames, edges are ascending, …
Status check(const FrontEnd& front_end);

}  // namespace edgeprobe::audio
