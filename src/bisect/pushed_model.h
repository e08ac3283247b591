// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bisect/black_box.h"
#include "bisect/host_values.h"
#include "bisect/units.h"

namespace edgeprobe::bisect {

/// A black box of two engines: cuts parts out of the model, pushes them to the device, and feeds
/// them with the host's tensors. Borrows host, device, graph and file.
class PushedModel final : public BlackBox {
 public:
  /// Captures the host's tensors at all cuts. kLimit if they would exceed 1 GB.
  static Result<PushedModel> open(const layers::Host& device, const layers::Host& host,
                                  const layers::ModelFile& model, const std::string& label,
                                  std::vector<std::vector<Tensor>> inputs, const Control& control);

  int units() const override { return static_cast<int>(units_.units.size()); }
  std::string type(int unit) const override;
  std::string name(int unit) const override;
  bool rounds() const override;
  Result<Seen> device(int from, int to) override;
  Result<double> residue(const Seen& before, const Seen& after) override;
  Result<Seen> resumed(const Seen& before, int resume, int to) override;

  const Unit& unit(int index) const { return units_.units[static_cast<std::size_t>(index)]; }
  /// Tensors that the host does not expose: the units on both sides are merged.
  const std::vector<model::NotCaptured>& not_captured() const { return not_captured_; }
  const Frames& host_frames() const { return host_frames_; }
  /// The part that runs the units [from, to) when fed with the tensors at `from`.
  model::Part part(int from, int to) const;
  std::size_t frames() const { return frames_; }

 private:
  PushedModel(layers::Host device, layers::Host host, layers::ModelFile model, std::string label)
      : device_(std::move(device)),
        host_(std::move(host)),
        model_(model),
        label_(std::move(label)) {}
  Result<Frames> whole();
  Result<Frames> run(const layers::Host& engine, const model::Part& part, const Frames& fed);
  /// Feeds tensors from `values` if present, else the host's.
  Result<Frames> from(const layers::Host& engine, const model::Part& part, const Frames* values);
  Result<double> excess(const Frames& expected, const Frames& seen,
                        const std::vector<int>& tensors) const;
  Result<double> gap(int to, const Frames& seen);
  /// Sets the values, and their distance from the host's at `to`.
  Result<Seen> judged(Seen seen, const std::vector<int>& tensors, Frames made);

  layers::Host device_, host_;
  layers::ModelFile model_;
  std::string label_;
  Units units_;
  std::vector<std::vector<Tensor>> inputs_;
  Frames host_frames_;
  std::vector<model::NotCaptured> not_captured_;
  std::vector<int> maker_;  ///< For each tensor, the layer that makes it.
  std::size_t frames_ = 0;
};

}  // namespace edgeprobe::bisect
