// SPDX-License-Identifier: Apache-2.0
// Splits by channels: "column parallel" up to the layer that reads all of them, "row parallel"
// there, as M. Shoeybi et al., "Megatron-LM", 2019, call it for matrices.
#include <algorithm>
#include <set>

#include "core/index.h"
#include "stretch/split/sharing.h"
#include "stretch/split/written_parts.h"

namespace edgeprobe::stretch {
namespace {

using model::NewLayer;

class Channels {
 public:
  Channels(const SplitSubject& subject, const Matched& matched, const Split& split,
           PartConstants& constants)
      : subject_(subject), matched_(matched), split_(split), constants_(constants) {}

  Result<model::Replacement> replacement() {
    std::vector<std::string> parts;
    const std::string to = subject_.tensor(matched_.to).spec.name;
    for (part_ = 0; part_ < split_.parts.size(); ++part_) {
      for (const int layer : matched_.layers) EP_CHECK(add(layer));
      first_ += split_.parts[part_];
      parts.push_back(part_name(to, part_));
    }
    const bool is_pair = split_.kind == Split::Kind::kPair;
    NewLayer joined{is_pair ? (parts.size() == 2 ? "Add" : "Sum") : "Concat",
                    to + "/joined",
                    std::move(parts),
                    {to},
                    {}};
    if (!is_pair) set_attribute(joined, "axis", static_cast<std::int64_t>(matched_.axis));
    made_.by.push_back(std::move(joined));
    made_.layers = replaced_layers(subject_, matched_, unpacked_);
    made_.constants = constants_.take();
    return std::move(made_);
  }

 private:
  std::int64_t count() const { return split_.parts[part_]; }

  /// The layer of a pair that makes a part of the sum; the first part adds the shortcut.
  int ends_at() const {
    if (matched_.added >= 0 && part_ == 0) return matched_.added;
    return matched_.behind >= 0 ? matched_.behind : matched_.last;
  }

  /// Adds this part of a layer, with the part's names for split tensors and outputs.
  Status add(int index) {
    if (index == matched_.added && part_ > 0) return {};
    const model::Layer& layer = subject_.layer(index);
    NewLayer made = layer_part(subject_, index, part_);
    const bool is_behind = index == matched_.behind || index == matched_.added;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const int input = layer.inputs[i];
      if (input < 0 || input == matched_.from || subject_.is_stored(input)) continue;
      if (matched_.shared[at(input)] || is_behind || index == matched_.first)
        made.inputs[i] = part_name(made.inputs[i], part_);
    }
    made.outputs[0] = part_name(
        index == ends_at() ? subject_.tensor(matched_.to).spec.name : made.outputs[0], part_);
    Status done = index == matched_.last     ? add_last(index, made)
                  : index == matched_.behind ? add_behind(index, made)
                  : index == matched_.added  ? Status()
                                             : add_shared(index, made);
    if (done) made_.by.push_back(std::move(made));
    return done;
  }

  Status cut(int index, NewLayer& made, CutConstant where) {
    const int input = subject_.layer(index).inputs[where.input];
    const int unpacked = subject_.unpacked_by[at(input)];
    if (unpacked >= 0) return cut_unpacked(unpacked, made, where);
    EP_TRY(made.inputs[where.input], constants_.cut(input, where.axis, first_, count()));
    return {};
  }

  /// The part has its own DequantizeLinear, with the scales of its channels.
  Status cut_unpacked(int unpacked, NewLayer& made, CutConstant where) {
    NewLayer own = layer_part(subject_, unpacked, part_);
    own.name = made.outputs[0] + "/" + own.outputs[0];
    own.outputs[0] = own.name;
    EP_TRY(auto cuts, scales_along(subject_, unpacked, where.axis));
    cuts.push_back({0, where.axis});
    for (const CutConstant& one : cuts) EP_CHECK(cut(unpacked, own, one));
    made.inputs[where.input] = own.name;
    unpacked_.insert(unpacked);
    made_.by.push_back(std::move(own));
    return {};
  }

  Status add_shared(int index, NewLayer& made) {
    std::vector<CutConstant> where;
    if (index < matched_.first) return {};  // It opens the split.
    if (index == matched_.first) {
      EP_TRY(auto dense, dense_of(subject_, index));
      where = std::move(dense.by_output);
    } else {
      EP_TRY(auto channelwise,
             channelwise_of(subject_, index, matched_.axis, matched_.size, matched_.shared));
      where = std::move(channelwise.constants);
      if (channelwise.counts_groups) set_attribute(made, "group", count() / channelwise.step);
    }
    for (const CutConstant& one : where) EP_CHECK(cut(index, made, one));
    return {};
  }

  /// The bias belongs to the sum: only the first part adds it.
  Status add_last(int index, NewLayer& made) {
    EP_TRY(auto dense, dense_of(subject_, index));
    if (dense.bias > 0 && part_ > 0) made.inputs.resize(dense.bias);
    return cut(index, made, dense.by_input);
  }

  /// (a + b - mean) * scale + bias is (a - mean) * scale + bias, and b * scale.
  Status add_behind(int index, NewLayer& made) {
    constexpr std::size_t kBias = 2, kMean = 3;
    if (part_ == 0) return {};
    for (const std::size_t input : {kBias, kMean}) {
      EP_TRY(made.inputs[input], constants_.zeros(subject_.layer(index).inputs[input]));
    }
    return {};
  }

  const SplitSubject& subject_;
  const Matched& matched_;
  const Split& split_;
  PartConstants& constants_;
  model::Replacement made_;
  std::set<int> unpacked_;  ///< DequantizeLinear of constants that are cut.
  std::size_t part_ = 0;
  std::int64_t first_ = 0;  ///< First channel of the current part.
};

}  // namespace

Result<model::Replacement> channel_parts(const SplitSubject& subject, const Matched& matched,
                                         const Split& split, PartConstants& constants) {
  return Channels(subject, matched, split, constants).replacement();
}

}  // namespace edgeprobe::stretch
