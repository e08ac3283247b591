// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "core/dtype.h"
#include "core/index.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch {
namespace {

constexpr std::size_t kAlignment = Arena::kAlignment;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// A tensor that is not inside another one, with all views inside it.
struct Block {
  int tensor = -1;
  std::size_t size = 0;
  bool is_kept = false;              ///< It, or a view in it, is an input or output of the model.
  std::vector<std::size_t> makers;   ///< Indices of pieces.
  std::vector<std::size_t> readers;  ///< Indices of pieces.
  /// By piece: True if it begins after all makers and readers have finished.
  std::vector<bool> behind;
  std::size_t offset = 0;
};

class Placement {
 public:
  Placement(const Schedule& schedule, const model::Graph& graph,
            const std::vector<std::size_t>& bytes)
      : schedule_(schedule),
        graph_(graph),
        bytes_(bytes),
        view_of_(graph.tensors.size(), nullptr),
        block_of_(graph.tensors.size(), kNone) {
    for (const Schedule::View& view : schedule.views) view_of_[at(view.tensor)] = &view;
  }

  Arena arena() {
    for (const int tensor : graph_.inputs)
      if (tensor >= 0) block(tensor).is_kept = true;
    for (std::size_t piece = 0; piece < schedule_.parts.size(); ++piece) {
      for (const int tensor : schedule_.parts[piece].outputs) block(tensor).makers.push_back(piece);
      for (const int tensor : schedule_.parts[piece].inputs) block(tensor).readers.push_back(piece);
    }
    for (const Schedule::View& view : schedule_.views) block(view.tensor);
    for (const int tensor : graph_.outputs)
      if (tensor >= 0 && block_of_[at(root(tensor))] != kNone) block(tensor).is_kept = true;
    for (Block& one : blocks_) one.behind = behind(one);
    place();
    return offsets();
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  int root(int tensor) const {
    while (view_of_[at(tensor)]) tensor = view_of_[at(tensor)]->whole;
    return tensor;
  }

  Block& block(int tensor) {
    const int whole = root(tensor);
    std::size_t& index = block_of_[at(whole)];
    if (index == kNone) {
      index = blocks_.size();
      blocks_.emplace_back();
      blocks_.back().tensor = whole;
      blocks_.back().size = aligned(bytes_[at(whole)]);
    }
    return blocks_[index];
  }

  std::vector<bool> behind(const Block& block) const {
    std::vector<bool> all(schedule_.parts.size(), true);
    for (const std::vector<std::size_t>* const list : {&block.makers, &block.readers})
      for (const std::size_t piece : *list)
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] && schedule_.before[piece][i];
    return all;
  }

  static bool ends_before(const Block& one, const Block& other) {
    return std::all_of(other.makers.begin(), other.makers.end(),
                       [&](std::size_t piece) { return one.behind[piece]; });
  }
  static bool may_share(const Block& one, const Block& other) {
    return !one.is_kept && !other.is_kept && (ends_before(one, other) || ends_before(other, one));
  }

  void place() {
    std::vector<std::size_t> by_size(blocks_.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
      return blocks_[a].size > blocks_[b].size;
    });
    std::vector<const Block*> placed;  // Sorted by offset.
    for (const std::size_t index : by_size) {
      Block& block = blocks_[index];
      for (const Block* const other : placed) {
        if (may_share(block, *other)) continue;
        if (other->offset >= block.offset + block.size) break;
        block.offset = std::max(block.offset, other->offset + other->size);
      }
      size_ = std::max(size_, block.offset + block.size);
      placed.insert(
          std::upper_bound(placed.begin(), placed.end(), &block,
                           [](const Block* a, const Block* b) { return a->offset < b->offset; }),
          &block);
    }
  }

  Arena offsets() const {
    Arena arena;
    arena.size = size_;
    arena.offsets.assign(graph_.tensors.size(), Arena::kNowhere);
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      std::size_t inside = 0;
      int tensor = static_cast<int>(i);
      for (; view_of_[at(tensor)]; tensor = view_of_[at(tensor)]->whole)
        inside += view_of_[at(tensor)]->offset * size_of(graph_.tensors[at(tensor)].spec.dtype);
      const std::size_t index = block_of_[at(tensor)];
      if (index != kNone) arena.offsets[i] = blocks_[index].offset + inside;
    }
    return arena;
  }

  const Schedule& schedule_;
  const model::Graph& graph_;
  const std::vector<std::size_t>& bytes_;
  std::vector<const Schedule::View*> view_of_;  ///< By tensor; null: not inside another one.
  std::vector<std::size_t> block_of_;           ///< Indexed by tensor.
  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace

Arena arena_of(const Schedule& schedule, const model::Graph& graph,
               const std::vector<std::size_t>& bytes) {
  return Placement(schedule, graph, bytes).arena();
}

}  // namespace edgeprobe::stretch
