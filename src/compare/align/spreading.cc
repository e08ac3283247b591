// SPDX-License-Identifier: Apache-2.0
#include "compare/align/spreading.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "compare/align/align.h"

namespace edgeprobe::compare {
namespace {

bool is_commutative(std::string_view kind) {
  return kind == "add" || kind == "mul" || kind == "max" || kind == "min";
}

}  // namespace

void Spreading::pair(int r, int t) {
  r = r_.origin(r), t = t_.origin(t);
  if (r < 0 || t < 0 || partner_.count(r) || taken_.count(t)) return;
  if (r_.whole.at(r)->shape_known && t_.whole.at(t)->shape_known &&
      !layout_of(r_.spec(r).shape, t_.spec(t).shape))
    return;
  partner_.emplace(r, t);
  taken_.insert(t);
  fresh_.emplace_back(r, t);
}

void Spreading::pair_ends() {
  for (const auto& [ends_r, ends_t] :
       {std::pair{&r_.whole.graph.inputs, &t_.whole.graph.inputs},
        std::pair{&r_.whole.graph.outputs, &t_.whole.graph.outputs}}) {
    for (const int r : *ends_r)
      for (const int t : *ends_t)
        if (r_.spec(r).name == t_.spec(t).name) pair(r, t);
    const auto fit = [&](int r, int t) {
      return layout_of(r_.spec(r).shape, t_.spec(t).shape).has_value();
    };
    for (const int r : *ends_r) {
      const auto like = [&](int t) { return fit(r, t); };
      if (std::count_if(ends_t->begin(), ends_t->end(), like) != 1) continue;
      const int t = *std::find_if(ends_t->begin(), ends_t->end(), like);
      if (std::count_if(ends_r->begin(), ends_r->end(), [&](int x) { return fit(x, t); }) == 1)
        pair(r, t);
    }
    for (std::size_t i = 0; i < ends_r->size() && i < ends_t->size(); ++i)
      by_place_.emplace_back((*ends_r)[i], (*ends_t)[i]);
  }
}

void Spreading::run() {
  do {
    do spread();
    while (pair_sums());
  } while (pair_by_weights() || pair_by_place());
}

bool Spreading::crosses() const {
  return std::any_of(joined_.begin(), joined_.end(), [&](const auto& both) {
    const auto& [a, b] = both;
    if (is_commutative(a->kind) || a->reads.size() != b->reads.size()) return false;
    for (std::size_t i = 0; i < a->reads.size(); ++i) {
      const auto known = partner_.find(a->reads[i]);
      if (known != partner_.end() && known->second != b->reads[i]) return true;
    }
    return false;
  });
}

void Spreading::spread() {
  while (!fresh_.empty()) {
    const auto [r, t] = fresh_.front();
    fresh_.pop_front();
    join_makers(r, t);
    join_readers(r, t);
  }
}

void Spreading::join_makers(int r, int t) {
  std::vector<const PlainNode*> folded_r, folded_t;
  const auto core = [](const PlainGraph& side, int tensor, std::vector<const PlainNode*>& folded) {
    const PlainNode* by = side.maker(tensor);
    for (; by && by->folded; by = side.maker(by->reads[0])) folded.push_back(by);
    return by;
  };
  const PlainNode *const by_r = core(r_, r, folded_r), *const by_t = core(t_, t, folded_t);
  const bool alike = folded_r.size() == folded_t.size() &&
                     std::equal(folded_r.begin(), folded_r.end(), folded_t.begin(),
                                [](const auto* a, const auto* b) { return a->kind == b->kind; });
  if (alike)
    for (std::size_t i = 0; i < folded_r.size(); ++i) join(*folded_r[i], *folded_t[i]);
  if (by_r && by_t) join(*by_r, *by_t);
  else if (!by_r && !by_t && alike && !folded_r.empty())
    pair(folded_r.back()->reads[0], folded_t.back()->reads[0]);
}

void Spreading::join_readers(int r, int t) {
  using Place = std::tuple<std::string_view, std::size_t, std::size_t>;
  const auto by_place = [](const PlainGraph& side, int tensor) {
    std::map<Place, std::vector<const PlainNode*>> found;
    for (const auto& [index, slot] : side.readers(tensor)) {
      const PlainNode& node = side.nodes()[index];
      found[{node.kind, is_commutative(node.kind) ? 0 : slot, node.reads.size()}].push_back(&node);
    }
    return found;
  };
  const auto in_t = by_place(t_, t);
  for (const auto& [place, nodes] : by_place(r_, r)) {
    const auto other = in_t.find(place);
    if (nodes.size() == 1 && other != in_t.end() && other->second.size() == 1)
      join(*nodes[0], *other->second[0]);
  }
}

void Spreading::join(const PlainNode& r, const PlainNode& t) {
  if (r.kind != t.kind || r.reads.size() != t.reads.size() || r.makes.size() != t.makes.size() ||
      r.weighted != t.weighted || nodes_r_.count(&r) || nodes_t_.count(&t))
    return;
  nodes_r_.insert(&r), nodes_t_.insert(&t);
  joined_.emplace_back(&r, &t);
  if (r.weighted) layers_.emplace(r.layer, t.layer);
  for (std::size_t i = 0; i < r.makes.size(); ++i) pair_made(r.makes[i], t.makes[i]);
  // A sum does not distinguish its terms, and another exporter may order the channels of a Concat
  // differently.
  if (r.reads.size() > 1 && (is_commutative(r.kind) || r.kind == "concat")) {
    sums_.emplace_back(&r, &t);
    return;
  }
  for (std::size_t i = 0; i < r.reads.size(); ++i) pair(r.reads[i], t.reads[i]);
}

void Spreading::pair_made(int r, int t) {
  constexpr int kMost = 4;
  for (int hops = 0; hops < kMost; ++hops) {
    const PlainNode *const next_r = r_.folded_behind(r), *const next_t = t_.folded_behind(t);
    if (!next_r && !next_t) break;
    if (next_r && next_t && next_r->kind == next_t->kind) break;
    const bool skip_r = next_r && (!next_t || next_r->kind != "relu");
    if (skip_r) r = next_r->makes[0];
    else t = next_t->makes[0];
  }
  pair(r, t);
}

std::pair<std::vector<int>, std::vector<int>> Spreading::left(const PlainNode& r,
                                                              const PlainNode& t) const {
  std::pair<std::vector<int>, std::vector<int>> both;
  for (const int tensor : r.reads)
    if (!partner_.count(tensor)) both.first.push_back(tensor);
  for (const int tensor : t.reads)
    if (!taken_.count(tensor)) both.second.push_back(tensor);
  return both;
}

bool Spreading::pair_sums() {
  for (const auto& [r, t] : sums_) {
    const auto [of_r, of_t] = left(*r, *t);
    if (of_r.size() == 1 && of_t.size() == 1) pair(of_r[0], of_t[0]);
    else if (of_r.size() == of_t.size())
      for (const int one : of_r) {
        const auto fits = [&](int other) { return made_alike(one, other); };
        const auto found = std::find_if(of_t.begin(), of_t.end(), fits);
        if (found != of_t.end() && std::count_if(of_t.begin(), of_t.end(), fits) == 1 &&
            std::count_if(of_r.begin(), of_r.end(), [&](int x) { return made_alike(x, *found); }) ==
                1)
          pair(one, *found);
      }
  }
  return !fresh_.empty();
}

bool Spreading::made_alike(int r, int t) const {
  const PlainNode *const by_r = r_.maker(r), *const by_t = t_.maker(t);
  if (!by_r || !by_t) return by_r == by_t;
  return by_r->kind == by_t->kind && layout_of(r_.spec(r).shape, t_.spec(t).shape).has_value();
}

bool Spreading::pair_by_weights() {
  constexpr std::size_t kMost = 400;
  constexpr double kAhead = 0.05;
  const auto free = [](const PlainGraph& side, const std::set<const PlainNode*>& joined) {
    std::vector<const PlainNode*> nodes;
    for (const PlainNode& node : side.nodes())
      if (node.weighted && !joined.count(&node)) nodes.push_back(&node);
    return nodes;
  };
  const auto of_r = free(r_, nodes_r_), of_t = free(t_, nodes_t_);
  if (of_r.size() > kMost || of_t.size() > kMost) return false;
  std::vector<std::vector<double>> alike(of_r.size(), std::vector<double>(of_t.size()));
  for (std::size_t i = 0; i < of_r.size(); ++i)
    for (std::size_t j = 0; j < of_t.size(); ++j)
      if (of_r[i]->kind == of_t[j]->kind)
        alike[i][j] = weights_.cosine(of_r[i]->layer, of_t[j]->layer).value_or(0);
  for (std::size_t i = 0; i < of_r.size(); ++i)
    for (std::size_t j = 0; j < of_t.size(); ++j) {
      const double own = alike[i][j];
      bool nearest = own >= LikeWeights::kAlike;
      for (std::size_t k = 0; k < of_t.size(); ++k)
        nearest = nearest && (k == j || alike[i][k] < own - kAhead);
      for (std::size_t k = 0; k < of_r.size(); ++k)
        nearest = nearest && (k == i || alike[k][j] < own - kAhead);
      if (nearest) join(*of_r[i], *of_t[j]);
    }
  return !fresh_.empty();
}

bool Spreading::pair_by_place() {
  for (const auto& [r, t] : sums_) {
    const auto [of_r, of_t] = left(*r, *t);
    for (std::size_t i = 0; i < of_r.size() && of_r.size() == of_t.size(); ++i)
      pair(of_r[i], of_t[i]);
    if (!fresh_.empty()) return true;
  }
  for (const auto& [r, t] : by_place_) {
    pair(r, t);
    if (!fresh_.empty()) return true;
  }
  return false;
}

}  // namespace edgeprobe::compare
