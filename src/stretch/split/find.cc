// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/find.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/index.h"
#include "stretch/split/sharing.h"

namespace edgeprobe::stretch {
namespace {

/// Maximum layers in a run: checking one more costs as much as the run's length.
constexpr std::size_t kLongestRun = 256;

class Finder {
 public:
  explicit Finder(const SplitSubject& subject)
      : subject_(subject), meetings_(meetings(subject.flow)), taken_(subject.graph.layers.size()) {}

  Splittables find() {
    for (const int node : subject_.flow.order)
      if (is_layer(node) && !taken_[at(node)]) add_channels(node);
    add_rows();
    return std::move(found_);
  }

 private:
  bool is_layer(int node) const { return node >= 0 && at(node) < subject_.graph.layers.size(); }
  /// The single output of a layer; -1: several or none.
  int output_of(int node) const {
    const auto& outputs = subject_.layer(node).outputs;
    return outputs.size() == 1 ? outputs.front() : -1;
  }
  /// The node where all paths from a node meet again, if a single tensor comes out there.
  std::optional<int> next(int node) const {
    const int meeting = meetings_[at(node)];
    if (!is_layer(meeting) || output_of(meeting) < 0) return std::nullopt;
    return meeting;
  }
  /// True if a plan can name the tensors that the layers read and make, and a split may begin and
  /// end there.
  bool is_usable(const Matched& matched) const {
    return check_ends(subject_, matched) && subject_.texts[at(matched.from)].front() != '#' &&
           subject_.texts[at(matched.to)].front() != '#';
  }
  void take(Splittable splittable, std::vector<Splittable>& list) {
    for (const int layer : splittable.matched.layers) taken_[at(layer)] = true;
    splittable.matched.shared = {};  // As large as the model, and recomputed by match().
    list.push_back(std::move(splittable));
  }

  /// The integers before a DequantizeLinear, for a tensor that it makes; else the tensor.
  int opening(int tensor) const {
    const int maker = subject_.flow.maker[at(tensor)];
    return subject_.within[at(tensor)] && is_layer(maker) &&
                   subject_.layer(maker).type == "DequantizeLinear" && has(subject_.layer(maker), 0)
               ? subject_.layer(maker).inputs[0]
               : tensor;
  }

  void add_channels(int first) {
    const auto dense = dense_of(subject_, first);
    const std::string& type = subject_.layer(first).type;
    if (!dense) {
      if (has_weights(type)) found_.refused.push_back({first, dense.error().what});
      return;
    }
    const int from = opening(subject_.layer(first).inputs[0]);
    auto alone = match(subject_, Split::Kind::kChannels, from, output_of(first));
    if (!alone) {
      found_.refused.push_back({first, alone.error().what});
      return;
    }
    const Status ends = check_ends(subject_, *alone);
    std::optional<Splittable> best;
    const auto keep = [&](Split::Kind kind, Matched matched) {
      if (is_usable(matched)) best = Splittable{kind, std::move(matched), 0};
    };
    keep(Split::Kind::kChannels, *std::move(alone));
    for (auto node = next(first); node; node = next(*node)) {
      if (auto pair = match(subject_, Split::Kind::kPair, from, output_of(*node), kLongestRun)) {
        keep(Split::Kind::kPair, *std::move(pair));
        // Then a BatchNormalization and a shortcut.
        for (node = next(*node); node; node = next(*node)) {
          auto longer = match(subject_, Split::Kind::kPair, from, output_of(*node), kLongestRun);
          if (!longer) break;
          keep(Split::Kind::kPair, *std::move(longer));
        }
        break;
      }
      auto longer = match(subject_, Split::Kind::kChannels, from, output_of(*node), kLongestRun);
      if (!longer) break;
      keep(Split::Kind::kChannels, *std::move(longer));
    }
    if (best) take(*std::move(best), found_.channels);
    else if (!ends) found_.refused.push_back({first, ends.error().what});
    else
      found_.refused.push_back({first, layer_name(subject_, first) +
                                           " reads or makes a tensor that has no name for a plan"});
  }

  /// Fraction of the work that two equal parts both do; empty if they cannot be formed.
  std::optional<double> more_of(const Matched& matched) const {
    if (matched.macs == 0 || matched.size < 2) return std::nullopt;
    double work = 0;
    const std::int64_t half = matched.size / 2;
    for (const Rows part : {Rows{0, half}, Rows{half, matched.size}}) {
      const auto rows = rows_needed(subject_, matched, part);
      if (!rows) return std::nullopt;
      for (const int layer : matched.layers) {
        const int output = output_of(layer);
        const auto made = rows->find(output);
        if (made == rows->end()) continue;
        const auto height = dimension(subject_.tensor(output), kRowAxis);
        work += static_cast<double>(subject_.layer(layer).macs.value_or(0)) *
                static_cast<double>(made->second.end - made->second.first) /
                static_cast<double>(height);
      }
    }
    return work / static_cast<double>(matched.macs) - 1;
  }

  void add_rows() {
    const Flow& flow = subject_.flow;
    for (std::optional<int> start = flow.source; start;) {
      const bool is_source = *start == flow.source;
      const auto& inputs = subject_.graph.inputs;
      int from = !is_source ? output_of(*start) : inputs.size() == 1 ? inputs.front() : -1;
      if (from >= 0 && !is_source && subject_.within[at(from)]) from = -1;
      std::optional<Splittable> best;
      std::optional<int> end;
      for (auto node = from < 0 ? std::nullopt : next(*start); node; node = next(*node)) {
        auto matched = match(subject_, Split::Kind::kRows, from, output_of(*node), kLongestRun);
        if (!matched) break;
        const auto more = more_of(*matched);
        if (matched->macs > 0 && (!more || *more > kMostMore)) break;
        if (more && is_usable(*matched))
          best = Splittable{Split::Kind::kRows, *std::move(matched), *more};
        end = node;
      }
      if (best) take(*std::move(best), found_.rows);
      start = end ? end : next(*start);
    }
  }

  const SplitSubject& subject_;
  std::vector<int> meetings_;
  std::vector<bool> taken_;
  Splittables found_;
};

}  // namespace

Splittables find_splits(const SplitSubject& subject) { return Finder(subject).find(); }

std::vector<Splittable> chosen(const Splittables& found, bool by_rows) {
  if (!by_rows) return found.channels;
  std::vector<Splittable> all = found.rows;
  std::set<int> taken;
  for (const Splittable& one : all)
    taken.insert(one.matched.layers.begin(), one.matched.layers.end());
  for (const Splittable& one : found.channels)
    if (std::none_of(one.matched.layers.begin(), one.matched.layers.end(),
                     [&](int layer) { return taken.count(layer) > 0; }))
      all.push_back(one);
  std::stable_sort(all.begin(), all.end(), [](const Splittable& a, const Splittable& b) {
    return a.matched.layers.front() < b.matched.layers.front();
  });
  return all;
}

Split split_of(const SplitSubject& subject, const Splittable& found,
               const std::vector<double>& shares) {
  const Matched& matched = found.matched;
  Split split{found.kind, subject.texts[at(matched.from)], subject.texts[at(matched.to)], {}};
  std::vector<std::int64_t> parts = parts_of(matched, shares);
  std::int64_t first = 0;
  for (const std::int64_t part : parts) {
    if (found.kind == Split::Kind::kRows && !rows_needed(subject, matched, {first, first + part}))
      return split;
    first += part;
  }
  split.parts = std::move(parts);
  return split;
}

Split most_split_of(const SplitSubject& subject, const Splittable& found,
                    std::vector<double> shares) {
  Split split = split_of(subject, found, shares);
  for (; split.parts.empty() && shares.size() > 2; split = split_of(subject, found, shares))
    shares.pop_back();
  return split;
}

}  // namespace edgeprobe::stretch
