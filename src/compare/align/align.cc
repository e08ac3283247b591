// SPDX-License-Identifier: Apache-2.0
#include "compare/align/align.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <string_view>

#include "compare/align/layout.h"
#include "compare/align/op_kind.h"
#include "compare/align/twins.h"

namespace edgeprobe::compare {
namespace {

// Limit on the cells of the order table: 5,000 x 5,000 layers.
constexpr std::size_t kMostCells = 25'000'000;
constexpr double kCorrelated = 0.9;

bool is_conversion(const Item& item) {
  return item.stage == trace::Stage::kLayer && compare::is_conversion(item.type);
}
bool is_movement(const Item& item) {
  return item.stage == trace::Stage::kLayer && compare::is_movement(item.type);
}

/// True if the two sides use different formats: no operator types in common, but operator kinds.
bool in_two_formats(const std::vector<Item>& reference, const std::vector<Item>& target) {
  std::set<std::string_view> types, kinds;
  for (const Item& item : reference)
    if (!item.type.empty()) {
      types.insert(item.type);
      kinds.insert(op_kind(item.type));
    }
  bool common_kind = false;
  for (const Item& item : target) {
    if (item.type.empty()) continue;
    if (types.count(item.type)) return false;
    common_kind = common_kind || kinds.count(op_kind(item.type));
  }
  return common_kind;
}

/// True for an operator that the other format may fuse into the previous one.
bool is_fusable(std::string_view type) {
  static const std::set<std::string_view> kKinds{"relu",  "clip",    "add",       "batchnorm",
                                                 "mul",   "sigmoid", "hardswish", "leakyrelu",
                                                 "prelu", "pad"};
  return kKinds.count(op_kind(type)) > 0;
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find(';', start), name.size());
    if (end > start) parts.push_back(name.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

// Layers of one side in execution order.
std::vector<std::size_t> layers_in_order(const std::vector<Item>& items) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].stage == trace::Stage::kLayer && !is_conversion(items[i])) order.push_back(i);
  const bool known = std::all_of(order.begin(), order.end(),
                                 [&](std::size_t i) { return items[i].position >= 0; });
  if (known)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return items[a].position < items[b].position;
    });
  return order;
}

class Aligner {
 public:
  Aligner(const std::vector<Item>& reference, const std::vector<Item>& target,
          const AlignOptions& options, const Control& control)
      : r_(reference),
        t_(target),
        options_(options),
        control_(control),
        taken_r_(r_.size()),
        taken_t_(t_.size()),
        grouped_r_(r_.size()),
        grouped_t_(t_.size()),
        order_r_(layers_in_order(r_)),
        order_t_(layers_in_order(t_)),
        two_formats_(options_.two_formats.value_or(in_two_formats(r_, t_))) {}

  Alignment run() {
    by_mapping();
    if (options_.graph_before_names) by_graph();
    by_quantised_name();
    by_name();
    by_graph();
    if (two_formats_) by_values_of_ends(trace::Stage::kModelOutput);
    by_ends(trace::Stage::kModelInput);
    by_ends(trace::Stage::kModelOutput);
    by_part(false);
    by_part(true);
    by_values_of_twins();
    by_order();
    if (two_formats_ && !control_.stopped()) {
      drop_misfits();
      group_fused();
    }
    settle_layouts();
    return result();
  }

 private:
  /// Items with equal names, grouped by shape. A name may have a thousand items; all items of one
  /// shape are interchangeable, so each is examined only once.
  using Alike = std::map<Shape, std::deque<std::size_t>>;

  /// Pairs item i of the reference with the first free and compatible item of `alike`, by index.
  bool pair_with_first(std::size_t i, Alike& alike, Match how) {
    if (taken_r_[i]) return false;
    auto best = alike.end();
    for (auto group = alike.begin(); group != alike.end();) {
      std::deque<std::size_t>& left = group->second;
      while (!left.empty() &&
             (taken_t_[left.front()] || (how == Match::kName && grouped_t_[left.front()])))
        left.pop_front();
      if (left.empty()) {
        group = alike.erase(group);
        continue;
      }
      if ((best == alike.end() || left.front() < best->second.front()) && layout(i, left.front()))
        best = group;
      ++group;
    }
    return best != alike.end() && pair_up(i, best->second.front(), how);
  }

  std::optional<std::vector<int>> layout(std::size_t i, std::size_t j) const {
    return layout_of(r_[i].shape, t_[j].shape);
  }

  // The layout with the highest correlation of values; nothing if they cannot be compared.
  struct Fit {
    std::vector<int> permutation;
    double correlation = 0;
  };
  const std::optional<Fit>& fit(std::size_t i, std::size_t j) const {
    const auto [at, fresh] = fits_.try_emplace({i, j});
    if (!fresh || !options_.correlation) return at->second;
    for (const std::vector<int>& permutation : layouts_of(r_[i].shape, t_[j].shape))
      if (const auto correlation = options_.correlation(i, j, permutation);
          correlation && (!at->second || *correlation > at->second->correlation))
        at->second = Fit{permutation, *correlation};
    return at->second;
  }

  bool pair_up(std::size_t i, std::size_t j, Match how) {
    auto permutation = layout(i, j);
    if (permutation && how == Match::kValues && fit(i, j)) permutation = fit(i, j)->permutation;
    if (taken_r_[i] || taken_t_[j] || !permutation) return false;
    taken_r_[i] = taken_t_[j] = true;
    out_.pairs.push_back({i, j, how, *permutation});
    return true;
  }

  void by_mapping() {
    const auto places = [](const std::vector<Item>& items) {
      std::multimap<std::string_view, std::size_t> by_name;
      for (std::size_t i = 0; i < items.size(); ++i) by_name.emplace(items[i].name, i);
      return by_name;
    };
    if (options_.mapping.empty()) return;
    const auto named_r = places(r_), named_t = places(t_);
    for (const auto& [from, to] : options_.mapping) {
      Alike alike;
      for (auto [j, last_t] = named_t.equal_range(to); j != last_t; ++j)
        alike[t_[j->second].shape].push_back(j->second);
      for (auto [i, last_r] = named_r.equal_range(from); i != last_r && !control_.stopped(); ++i)
        pair_with_first(i->second, alike, Match::kMapping);
    }
  }

  void by_graph() {
    for (const auto& [i, j] : options_.by_graph)
      if (!grouped_r_[i] && !grouped_t_[j] && r_[i].stage == t_[j].stage)
        pair_up(i, j, Match::kGraph);
  }

  // Pairs branches of equal shape in another order: if names do not identify them, values do.
  void by_values_of_twins() {
    if (!options_.correlation || control_.stopped()) return;
    const auto free = [](const std::vector<Item>& items, const std::vector<std::size_t>& order,
                         const std::vector<bool>& taken, const std::vector<bool>& grouped) {
      std::vector<Twin> left;
      for (const std::size_t i : order)
        if (!taken[i] && !grouped[i]) left.push_back({i, op_kind(items[i].type), items[i].shape});
      return left;
    };
    const auto alike = [this](std::size_t i, std::size_t j) {
      const auto& found = fit(i, j);
      return found ? std::optional(found->correlation) : std::nullopt;
    };
    for (const auto& [i, j] : twins_in_other_order(free(r_, order_r_, taken_r_, grouped_r_),
                                                   free(t_, order_t_, taken_t_, grouped_t_), alike))
      pair_up(i, j, Match::kValues);
  }

  // ONNX Runtime's quantiser keeps the operator's name for the next quantised tensor, and moves the
  // activation into it: the float model's "x" corresponds to "x_QuantizeLinear_Output", or to its
  // dequantised form.
  void by_quantised_name() {
    const auto places = [](const std::vector<Item>& items) {
      std::map<std::string_view, std::size_t> by_name;
      for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].stage == trace::Stage::kLayer) by_name.emplace(items[i].name, i);
      return by_name;
    };
    const auto named_r = places(r_), named_t = places(t_);
    const auto pair_sides = [&](const auto& plain, const auto& quantised,
                                bool quantised_is_target) {
      for (const auto& [name, i] : plain)
        for (const char* const suffix : {"_QuantizeLinear_Output", "_DequantizeLinear_Output"}) {
          const std::string other = std::string(name) + suffix;
          const auto at = quantised.find(other);
          if (at == quantised.end() || plain.count(other)) continue;
          if (!(quantised_is_target ? pair_up(i, at->second, Match::kNamePart)
                                    : pair_up(at->second, i, Match::kNamePart)))
            continue;
          // The unquantised value of that name is not a separate layer.
          const auto beside = quantised.find(name);
          if (beside != quantised.end())
            (quantised_is_target ? grouped_t_ : grouped_r_)[beside->second] = true;
          break;
        }
    };
    pair_sides(named_r, named_t, true);
    pair_sides(named_t, named_r, false);
    pair_integer_operators(named_r, named_t, true);
    pair_integer_operators(named_t, named_r, false);
  }

  // Integer operators also keep the name, as "x_quantized", and their range may include a following
  // Relu or Clip.
  using ByName = std::map<std::string_view, std::size_t>;
  void pair_integer_operators(const ByName& plain, const ByName& quantised,
                              bool quantised_is_target) {
    const std::vector<Item>& items = quantised_is_target ? r_ : t_;
    std::vector<bool>& grouped = quantised_is_target ? grouped_r_ : grouped_t_;
    for (const auto& entry : plain) {
      const std::size_t first = entry.second;
      const auto at = quantised.find(std::string(entry.first) + "_quantized");
      if (at == quantised.end() ||
          compare::is_conversion((quantised_is_target ? t_ : r_)[at->second].type))
        continue;
      std::size_t last = first;
      const auto held = [&](std::size_t i) {
        const std::string_view kind = op_kind(items[i].type);
        return (kind == "relu" || kind == "clip") && items[i].shape == items[first].shape &&
               !quantised.count(items[i].name + "_quantized");
      };
      if (const std::optional<std::size_t> reader = only_reader(first, quantised_is_target);
          reader && held(*reader))
        last = *reader;
      if (!(quantised_is_target ? pair_up(last, at->second, Match::kNamePart)
                                : pair_up(at->second, last, Match::kNamePart)))
        continue;
      if (last != first) grouped[first] = true;
    }
  }

  // The only layer that reads an item. A trace records only the order of layers, so there it is
  // assumed to be the next one.
  std::optional<std::size_t> only_reader(std::size_t item, bool of_reference) const {
    const std::vector<Item>& items = of_reference ? r_ : t_;
    if (items[item].read_by >= 0) return static_cast<std::size_t>(items[item].read_by);
    const bool graph_known =
        std::any_of(items.begin(), items.end(), [](const Item& one) { return one.read_by >= 0; });
    const std::vector<std::size_t>& order = of_reference ? order_r_ : order_t_;
    const auto at = std::find(order.begin(), order.end(), item);
    if (graph_known || at == order.end() || at + 1 == order.end()) return std::nullopt;
    return *(at + 1);
  }

  void by_name() {
    std::map<std::pair<trace::Stage, std::string_view>, Alike> named;
    for (std::size_t j = 0; j < t_.size(); ++j)
      named[{t_[j].stage, t_[j].name}][t_[j].shape].push_back(j);
    for (std::size_t i = 0; i < r_.size() && !control_.stopped(); ++i) {
      // The same name may come before an activation on one side and after it on the other.
      if (r_[i].name.empty() || (two_formats_ && r_[i].stage == trace::Stage::kLayer)) continue;
      const auto at = named.find({r_[i].stage, r_[i].name});
      // duplicate names pair in order
      if (at != named.end() && !grouped_r_[i]) pair_with_first(i, at->second, Match::kName);
    }
  }

  // Pairs inputs and outputs: first those with a unique shape, then by index.
  void by_ends(trace::Stage stage) {
    const auto of_stage = [&](const std::vector<Item>& items) {
      std::vector<std::size_t> all;
      for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].stage == stage) all.push_back(i);
      return all;
    };
    const std::vector<std::size_t> ends_r = of_stage(r_), ends_t = of_stage(t_);
    for (const std::size_t i : ends_r) {
      if (control_.stopped()) return;
      if (taken_r_[i]) continue;
      std::optional<std::size_t> only;
      std::size_t like_i = 0, like_j = 0;
      for (std::size_t n = 0; n < ends_t.size() && like_i < 2; ++n)
        if (!taken_t_[ends_t[n]] && layout(i, ends_t[n])) {
          only = ends_t[n];
          ++like_i;
        }
      if (like_i != 1) continue;
      for (std::size_t n = 0; n < ends_r.size() && like_j < 2; ++n)
        like_j += !taken_r_[ends_r[n]] && layout(ends_r[n], *only).has_value();
      if (like_j == 1) pair_up(i, *only, Match::kPosition);
    }
    std::map<std::int32_t, Alike> at_position;
    for (const std::size_t j : ends_t)
      if (!taken_t_[j]) at_position[t_[j].position][t_[j].shape].push_back(j);
    for (const std::size_t i : ends_r) {
      if (control_.stopped()) return;
      const auto at = at_position.find(r_[i].position);
      if (r_[i].position >= 0 && at != at_position.end())
        pair_with_first(i, at->second, Match::kPosition);
    }
  }

  // Two formats may list outputs in another order and under other names: pairs those with the best
  // correlation.
  void by_values_of_ends(trace::Stage stage) {
    if (!options_.correlation) return;
    struct Candidate {
      double correlation;
      std::size_t i, j;
    };
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < r_.size() && !control_.stopped(); ++i)
      for (std::size_t j = 0; j < t_.size(); ++j) {
        if (r_[i].stage != stage || t_[j].stage != stage || taken_r_[i] || taken_t_[j]) continue;
        if (const auto& found = fit(i, j); found && found->correlation >= kCorrelated)
          candidates.push_back({found->correlation, i, j});
      }
    std::stable_sort(
        candidates.begin(), candidates.end(),
        [](const Candidate& a, const Candidate& b) { return a.correlation > b.correlation; });
    for (const Candidate& candidate : candidates) pair_up(candidate.i, candidate.j, Match::kValues);
  }

  // Pairs of the same operator kind with different values are either faulty layers or unrelated
  // tensors. Layers after a faulty one are wrong too, so if the next layers match, drops the pair
  // as unrelated.
  void drop_misfits() {
    constexpr double kFits = 0.999;
    constexpr std::size_t kNext = 3;
    const auto fits_well = [&](const AlignedPair& pair, double least) {
      const auto& found = fit(pair.reference, pair.target);
      return found && found->correlation >= least;
    };
    std::map<std::size_t, std::size_t> pair_of;  // reference item -> index in out_.pairs
    for (std::size_t p = 0; p < out_.pairs.size(); ++p) pair_of[out_.pairs[p].reference] = p;
    std::set<std::size_t> dropped;
    for (std::size_t p = 0; p < order_r_.size(); ++p) {
      const auto at = pair_of.find(order_r_[p]);
      if (at == pair_of.end() || out_.pairs[at->second].how != Match::kValues ||
          fits_well(out_.pairs[at->second], kCorrelated))
        continue;
      std::size_t next = 0;
      bool all_fit = true;
      for (std::size_t q = p + 1; q < order_r_.size() && next < kNext; ++q) {
        const auto behind = pair_of.find(order_r_[q]);
        if (behind == pair_of.end()) continue;
        ++next;
        all_fit = all_fit && fits_well(out_.pairs[behind->second], kFits);
      }
      if (next > 0 && all_fit) dropped.insert(at->second);
    }
    for (auto at = dropped.rbegin(); at != dropped.rend(); ++at) {
      taken_r_[out_.pairs[*at].reference] = taken_t_[out_.pairs[*at].target] = false;
      out_.pairs.erase(out_.pairs.begin() + static_cast<std::ptrdiff_t>(*at));
    }
  }

  // Groups operators that one format keeps separate and the other fuses: the run of free layers
  // that ends in a pair. Operators that only move values between channel orders do not count.
  void group_fused() {
    const auto side = [&](const std::vector<Item>& items, const std::vector<std::size_t>& order,
                          const std::vector<bool>& taken, std::vector<bool>& grouped,
                          bool is_reference) {
      std::map<std::size_t, std::size_t> partner;
      for (const AlignedPair& pair : out_.pairs)
        partner[is_reference ? pair.reference : pair.target] =
            is_reference ? pair.target : pair.reference;
      for (std::size_t p = 1; p < order.size(); ++p) {
        if (!taken[order[p]] || !(is_fusable(items[order[p]].type) || is_movement(items[order[p]])))
          continue;
        std::size_t begin = p;
        while (begin > 0 && !taken[order[begin - 1]] && !grouped[order[begin - 1]] &&
               (begin == p || is_fusable(items[order[begin]].type)))
          --begin;
        if (begin == p) continue;
        AlignedGroup group;
        std::vector<std::size_t>& many = is_reference ? group.reference : group.target;
        (is_reference ? group.target : group.reference).push_back(partner[order[p]]);
        for (std::size_t q = begin; q <= p; ++q) {
          many.push_back(order[q]);
          if (q < p) grouped[order[q]] = true;
        }
        out_.groups.push_back(std::move(group));
      }
    };
    side(r_, order_r_, taken_r_, grouped_r_, true);
    side(t_, order_t_, taken_t_, grouped_t_, false);
  }

  // A fused name on one side lists names of the other side, starting with the operator that the
  // converter kept. If the operators after it in execution order are listed too, the last of them
  // makes the fused output.
  void by_part(bool fused_is_reference) {
    const std::vector<Item>& fused = fused_is_reference ? r_ : t_;
    const std::vector<Item>& plain = fused_is_reference ? t_ : r_;
    const std::vector<bool>& fused_taken = fused_is_reference ? taken_r_ : taken_t_;
    const std::vector<bool>& plain_taken = fused_is_reference ? taken_t_ : taken_r_;
    std::vector<bool>& plain_grouped = fused_is_reference ? grouped_t_ : grouped_r_;
    const std::vector<std::size_t>& fused_order = fused_is_reference ? order_r_ : order_t_;
    const std::vector<std::size_t>& plain_order = fused_is_reference ? order_t_ : order_r_;

    std::multimap<std::string, std::size_t> places;  // part -> index in plain_order
    for (std::size_t place = 0; place < plain_order.size(); ++place)
      for (const std::string& part : parts_of(plain[plain_order[place]].name))
        places.emplace(part, place);
    // first part -> fused item; other runs may not include it
    std::map<std::string, std::size_t> heads;
    for (const std::size_t f : fused_order)
      if (const auto parts = parts_of(fused[f].name); !parts.empty()) heads.emplace(parts[0], f);
    for (const std::size_t f : fused_order) {
      if (control_.stopped()) return;
      const auto mine = [&](std::size_t place) {
        const auto head = heads.find(plain[plain_order[place]].name);
        return head == heads.end() || head->second == f;
      };
      const std::vector<std::string> parts = parts_of(fused[f].name);
      if (fused_taken[f] || parts.size() < 2) continue;  // the other call handles plain names
      std::map<std::size_t, std::size_t> shared;         // index -> shared parts
      std::optional<std::size_t> start;
      for (const std::string& part : parts) {
        const auto [first, last] = places.equal_range(part);
        for (auto at = first; at != last; ++at) {
          const std::size_t i = plain_order[at->second];
          if (plain_taken[i] || plain_grouped[i]) continue;
          ++shared[at->second];
          if (!start) start = at->second;
        }
      }
      if (!start) continue;
      // Among fused names, the one with most shared parts wins; among several plain ones, the run
      // that starts at the first part.
      for (const auto& [place, count] : shared)
        if (count > shared[*start]) start = place;
      std::size_t end = *start, begin = *start;
      if (parts_of(plain[plain_order[*start]].name).size() == 1) {
        while (shared.count(end + 1) && mine(end + 1)) ++end;
        while (begin > 0 && shared.count(begin - 1) && mine(begin - 1)) --begin;
      }
      const std::size_t last = plain_order[end];
      if (!(fused_is_reference ? pair_up(f, last, Match::kNamePart)
                               : pair_up(last, f, Match::kNamePart)))
        continue;
      if (end == begin) continue;
      AlignedGroup group;
      std::vector<std::size_t>& many = fused_is_reference ? group.target : group.reference;
      (fused_is_reference ? group.reference : group.target).push_back(f);
      for (std::size_t place = begin; place <= end; ++place) {
        many.push_back(plain_order[place]);
        plain_grouped[plain_order[place]] = true;
      }
      out_.groups.push_back(std::move(group));
    }
  }

  // Score of pairing two free layers; 0: not allowed.
  double worth(std::size_t i, std::size_t j) const {
    if (taken_r_[i] || taken_t_[j] || grouped_r_[i] || grouped_t_[j]) return 0;
    const std::string_view type_r = op_kind(r_[i].type), type_t = op_kind(t_[j].type);
    if (two_formats_ && options_.correlation) return worth_by_values(i, j, type_r == type_t);
    if (type_r == type_t && !type_r.empty()) return layout(i, j) ? 3 : 0;
    const bool unknown = type_r.empty() || type_t.empty();
    if (!unknown && !options_.correlation) return 0;
    const auto permutation = layout(i, j);
    if (!permutation) return 0;
    if (options_.correlation) {
      const auto correlation = options_.correlation(i, j, *permutation);
      if (correlation) return *correlation >= kCorrelated ? 1 + *correlation : 0;
    }
    return unknown ? 1 : 0;
  }

  // TFLite's CONV_2D may include an activation that is a separate operator in ONNX, so values
  // decide which of the two it is. Scores grow as the correlation approaches 1: 0.9 adds 0.2,
  // twelve nines add 2.
  double worth_by_values(std::size_t i, std::size_t j, bool same_kind) const {
    if (!layout(i, j)) return 0;
    constexpr double kSameKindOnly = 0.6;  // A faulty layer has other values but keeps its place.
    const auto& found = fit(i, j);
    if (!found || found->correlation < kCorrelated) return same_kind ? kSameKindOnly : 0;
    const double nines = -std::log10(std::max(1e-12, 1 - found->correlation));
    return 1 + (same_kind ? 0.25 : 0) + nines / 6;
  }

  // The best pairing in order (Needleman-Wunsch without gap costs) between neighbouring fixed
  // pairs.
  void by_order() {
    std::map<std::size_t, std::size_t> partner;  // reference item -> target item
    for (const AlignedPair& pair : out_.pairs) partner[pair.reference] = pair.target;
    std::map<std::size_t, std::size_t> place_t;
    for (std::size_t p = 0; p < order_t_.size(); ++p) place_t[order_t_[p]] = p;
    std::size_t from_r = 0, from_t = 0;
    for (std::size_t p = 0; p <= order_r_.size(); ++p) {
      std::size_t to_t = order_t_.size();
      if (p < order_r_.size()) {
        const auto settled = partner.find(order_r_[p]);
        if (settled == partner.end() || !place_t.count(settled->second)) continue;
        to_t = place_t[settled->second];
        if (to_t < from_t) continue;  // branches in another order do not separate segments
      }
      pair_segment(from_r, p, from_t, to_t);
      from_r = p + 1;
      from_t = to_t + 1;
    }
  }

  void pair_segment(std::size_t r0, std::size_t r1, std::size_t t0, std::size_t t1) {
    const std::size_t rows = r1 - std::min(r0, r1), columns = t1 - std::min(t0, t1);
    if (rows == 0 || columns == 0 || rows > kMostCells / columns) return;
    std::vector<float> best((rows + 1) * (columns + 1), 0.f);
    std::vector<char> paired(rows * columns, 0);
    const auto cell = [&](std::size_t a, std::size_t b) -> float& {
      return best[a * (columns + 1) + b];
    };
    for (std::size_t a = rows; a-- > 0;) {
      if (control_.stopped()) return;
      for (std::size_t b = columns; b-- > 0;) {
        const auto value = static_cast<float>(worth(order_r_[r0 + a], order_t_[t0 + b]));
        const float skip = std::max(cell(a + 1, b), cell(a, b + 1));
        paired[a * columns + b] = value > 0 && cell(a + 1, b + 1) + value >= skip;
        cell(a, b) = paired[a * columns + b] ? cell(a + 1, b + 1) + value : skip;
      }
    }
    for (std::size_t a = 0, b = 0; a < rows && b < columns;) {
      if (paired[a * columns + b]) {
        const std::size_t i = order_r_[r0 + a++], j = order_t_[t0 + b++];
        const bool same_type = op_kind(r_[i].type) == op_kind(t_[j].type) && !r_[i].type.empty();
        const bool unknown = r_[i].type.empty() || t_[j].type.empty();
        pair_up(i, j,
                same_type && !two_formats_         ? Match::kOrder
                : unknown && !options_.correlation ? Match::kShape
                                                   : Match::kValues);
      } else if (cell(a + 1, b) >= cell(a, b + 1)) {
        ++a;
      } else {
        ++b;
      }
    }
  }

  // A shape like 8x8x8 fits both layouts: the majority of the other pairs decides.
  void settle_layouts() {
    // rank -> permutation -> number of pairs
    std::map<std::size_t, std::map<std::vector<int>, int>> votes;
    for (const AlignedPair& pair : out_.pairs) {
      const Shape& shape = r_[pair.reference].shape;
      const bool ambiguous =
          shape.size() < 3 || std::set<std::int64_t>(shape.begin() + 1, shape.end()).size() == 1;
      if (!ambiguous) ++votes[shape.size()][pair.permutation];
    }
    for (AlignedPair& pair : out_.pairs) {
      const Shape& shape = r_[pair.reference].shape;
      if (!pair.permutation.empty() || (two_formats_ && pair.how == Match::kValues) ||
          shape.size() < 3 || !votes.count(shape.size()))
        continue;
      const auto& candidates = votes[shape.size()];
      const auto most =
          std::max_element(candidates.begin(), candidates.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      if (!most->first.empty() && fits(shape, t_[pair.target].shape, most->first))
        pair.permutation = most->first;
    }
  }

  Alignment result() {
    std::sort(out_.pairs.begin(), out_.pairs.end(),
              [](const AlignedPair& a, const AlignedPair& b) { return a.reference < b.reference; });
    const auto sort_out = [this](const std::vector<Item>& items, const std::vector<bool>& taken,
                                 const std::vector<bool>& grouped,
                                 std::vector<std::size_t>& unmatched,
                                 std::vector<std::size_t>& conversions) {
      for (std::size_t i = 0; i < items.size(); ++i)
        if (!taken[i] && !grouped[i])
          (is_conversion(items[i]) || (two_formats_ && is_movement(items[i])) ? conversions
                                                                              : unmatched)
              .push_back(i);
    };
    sort_out(r_, taken_r_, grouped_r_, out_.unmatched_reference, out_.conversions_reference);
    sort_out(t_, taken_t_, grouped_t_, out_.unmatched_target, out_.conversions_target);
    return std::move(out_);
  }

  const std::vector<Item>&r_, &t_;
  const AlignOptions& options_;
  const Control& control_;
  std::vector<bool> taken_r_, taken_t_, grouped_r_, grouped_t_;
  std::vector<std::size_t> order_r_, order_t_;
  bool two_formats_;
  mutable std::map<std::pair<std::size_t, std::size_t>, std::optional<Fit>> fits_;
  Alignment out_;
};

}  // namespace

Alignment align(const std::vector<Item>& reference, const std::vector<Item>& target,
                const AlignOptions& options, const Control& control) {
  return Aligner(reference, target, options, control).run();
}

}  // namespace edgeprobe::compare
