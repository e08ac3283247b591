// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "diagnose/postprocessing/masks/changes.h"

namespace edgeprobe::diagnose::masks {
namespace {

// Blocks along the longer side of a mask. The pixels of a block are dependent, so they count as one
// observation.
constexpr std::uint32_t kBlocks = 64;
// Smallest block side in pixels: smaller blocks hold no class border.
constexpr std::uint32_t kLeastBlock = 4;
// Bits against a change for each block that it explains wrongly.
constexpr double kAgainst = 4;
// Bits from a frame in which a class is missing while others match the prediction.
constexpr double kOfMissingClass = 5;

struct Block {
  bool differs = false, is_wrong = false;
  std::set<std::int32_t> numbers;  ///< Recorded numbers of all its pixels.
};

double block_bits(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                  std::size_t frame) {
  const auto* const found = predictions.classes_at(with_it, frame);
  if (!found) return 0;
  const std::vector<std::int32_t> with = *found;  // Copied, since the next prediction may evict it.
  const auto* const without = predictions.classes_at(without_it, frame);
  const trace::Mask& mask = predictions.observed(frame);
  const std::uint32_t side = std::max(kLeastBlock, std::max(mask.height, mask.width) / kBlocks);
  const auto& pixels = predictions.sample(frame).pixels;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Block> blocks;
  std::set<std::int32_t> missing, right;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    using postprocess::segmentation::number_of;
    const std::int32_t own = number_of(with_it, with[i]);
    Block& block = blocks[{pixels[i].y / side, pixels[i].x / side}];
    block.numbers.insert(pixels[i].number);
    const bool differs = !without || number_of(without_it, (*without)[i]) != own;
    block.differs = block.differs || differs;
    block.is_wrong = block.is_wrong || (differs && own != pixels[i].number);
    if (own != pixels[i].number) continue;
    if (differs && own == number_of(with_it, 0)) missing.insert(with[i]);
    if (!differs && with[i] != 0) right.insert(with[i]);
  }
  double bits = 0;
  for (const auto& [place, block] : blocks)
    if (block.differs && (block.is_wrong || block.numbers.size() > 1))
      bits += block.is_wrong ? -kAgainst : 1;
  if (!with_it.renamed.empty() && !missing.empty() && !right.empty())
    bits = std::max(bits, 0.0) + kOfMissingClass;
  return bits;
}

}  // namespace

double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames) {
  double bits = -change.free_bits;
  for (const std::size_t frame : frames)
    bits += block_bits(predictions, with_it, without_it, frame);
  return bits;
}

}  // namespace edgeprobe::diagnose::masks
