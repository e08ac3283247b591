// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "placement/shape/grid.h"
#include "placement/shape/space.h"

namespace edgeprobe::placement::shape {
namespace {

/// A small space with made-up costs; work and seconds depend on the channels read.
struct Made {
  Space space;
  Bounds bounds;
  Costs costs;
};

Made made(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Made out;
  out.bounds.main = draw(0, 6) / 10.0;
  out.bounds.sum = draw(5, 30) / 10.0;
  out.bounds.depth = draw(3, 10) / 10.0;
  out.bounds.field = draw(5, 10) / 10.0;
  out.space.input = 16;
  out.space.processors = seed % 5 == 0 ? 3 : 2;
  const int stages = out.space.processors == 3 ? 2 : draw(2, 3);
  const auto macs = [](std::size_t, std::int64_t depth, std::int64_t width, std::int64_t input) {
    return static_cast<double>(width * (input + (depth - 1) * width));
  };
  std::int64_t input = 16;
  for (int i = 0; i < stages; ++i) {
    StageSpace stage;
    stage.depth = draw(1, 3);
    stage.width = 16 * draw(2, 3);
    stage.macs = macs(0, stage.depth, stage.width, input);
    stage.depths = depths_of(stage.depth, out.bounds.depth);
    for (std::int64_t width = 16; width <= stage.width; width += 16) stage.widths.push_back(width);
    for (const std::int64_t depth : stage.depths)
      stage.fields.push_back(static_cast<double>(depth) / static_cast<double>(stage.depth));
    input = stage.width;
    out.space.stages.push_back(std::move(stage));
  }
  out.costs.macs = macs;
  out.costs.stem = 3;
  out.costs.hand_over = draw(0, 200);
  const auto noise = [seed](std::size_t a, std::int64_t b, std::int64_t c, std::int64_t d, bool e) {
    std::seed_seq seeds{seed,
                        static_cast<unsigned>(a),
                        static_cast<unsigned>(b),
                        static_cast<unsigned>(c),
                        static_cast<unsigned>(d),
                        e ? 1U : 0U};
    std::vector<std::uint32_t> words(1);
    seeds.generate(words.begin(), words.end());
    return 1 + static_cast<double>(words[0] % 1000) / 1000;
  };
  out.costs.seconds = [macs, noise](std::size_t stage, const BranchShape& branch, std::int64_t in,
                                    bool alone) {
    return macs(stage, branch.depth, branch.width, in) *
           (1 + static_cast<double>(branch.processor)) *
           noise(stage * 8 + branch.processor, branch.depth, branch.width, in, alone);
  };
  out.costs.head = [](std::int64_t in) { return static_cast<double>(in) / 7; };
  return out;
}

/// Every network, one after the other, with the bounds written out.
void brute(const Made& made, std::size_t stage, std::int64_t input, double seconds, bool branched,
           std::vector<double>& all) {
  if (stage == made.space.stages.size()) {
    if (branched) all.push_back(seconds + made.costs.head(input));
    return;
  }
  const StageSpace& one = made.space.stages[stage];
  // 0: unused; else 1 + the index of a depth and a width.
  const std::size_t pairs = one.depths.size() * one.widths.size() + 1;
  std::size_t choices = 1;
  for (std::size_t i = 0; i < made.space.processors; ++i) choices *= pairs;
  const auto base = [&](std::size_t processor) {
    const double macs = made.costs.macs(stage, one.depth, one.width, input);
    if (macs < made.bounds.main * one.macs - 1e-6 || macs < made.bounds.sum * one.macs - 1e-6)
      return;
    brute(made, stage + 1, one.width,
          seconds + made.costs.seconds(stage, {processor, one.depth, one.width}, input, true),
          branched, all);
  };
  for (std::size_t i = 0; i < made.space.processors; ++i) base(i);
  for (std::size_t choice = 0; choice < choices; ++choice) {
    double sum = 0, largest = 0, longest = 0, field = 0;
    std::int64_t width = 0;
    int used = 0;
    std::size_t rest = choice;
    for (std::size_t p = 0; p < made.space.processors; ++p, rest /= pairs) {
      const std::size_t pair = rest % pairs;
      if (pair == 0) continue;
      const std::size_t depth = (pair - 1) / one.widths.size();
      const BranchShape branch{p, one.depths[depth], one.widths[(pair - 1) % one.widths.size()]};
      const double macs = made.costs.macs(stage, branch.depth, branch.width, input);
      sum += macs;
      largest = std::max(largest, macs);
      longest = std::max(longest, made.costs.seconds(stage, branch, input, false));
      field = std::max(field, one.fields[depth]);
      width += branch.width;
      ++used;
    }
    if (used < 2 || field < made.bounds.field - 1e-6) continue;
    if (largest < made.bounds.main * one.macs - 1e-6 || sum < made.bounds.sum * one.macs - 1e-6)
      continue;
    brute(made, stage + 1, width, seconds + longest + made.costs.hand_over, true, all);
  }
}

TEST(PlacementShape, TheBestDesignsAreThoseOfBruteForce) {
  std::size_t empty = 0, branched = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Made one = made(seed);
    std::vector<double> all;
    brute(one, 0, one.space.input, one.costs.stem, false, all);
    std::sort(all.begin(), all.end());
    const auto designs = best_designs(one.space, one.bounds, one.costs, 10);
    ASSERT_EQ(designs.size(), std::min<std::size_t>(10, all.size())) << seed;
    empty += all.empty() ? 1 : 0;
    branched += all.empty() ? 0 : 1;
    for (std::size_t i = 0; i < designs.size(); ++i) {
      EXPECT_NEAR(designs[i].seconds, all[i], 1e-6 * all[i]) << seed << " " << i;
      // The design itself takes these seconds.
      double seconds = one.costs.stem;
      std::int64_t input = one.space.input;
      for (std::size_t k = 0; k < designs[i].stages.size(); ++k) {
        seconds += seconds_of(one.costs, k, designs[i].stages[k], input);
        input = joined(designs[i].stages[k]);
      }
      EXPECT_NEAR(seconds + one.costs.head(input), all[i], 1e-6 * all[i]) << seed << " " << i;
    }
  }
  // Both happen often enough to mean something.
  EXPECT_GT(branched, 100U);
  EXPECT_GT(empty, 3U);
}

TEST(PlacementShape, EveryBoundLeavesOutWhatItForbids) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Made one = made(seed);
    one.bounds = {0.6, 1, 1, 1};
    for (StageSpace& stage : one.space.stages) {
      stage.depths = depths_of(stage.depth, 1);
      stage.fields = {1};
    }
    for (const Design& design : best_designs(one.space, one.bounds, one.costs, 5)) {
      std::int64_t input = one.space.input;
      for (std::size_t i = 0; i < design.stages.size(); ++i) {
        double sum = 0, largest = 0;
        for (const BranchShape& branch : design.stages[i]) {
          EXPECT_EQ(branch.depth, one.space.stages[i].depth);
          const double macs = one.costs.macs(i, branch.depth, branch.width, input);
          sum += macs;
          largest = std::max(largest, macs);
        }
        EXPECT_GE(sum, one.space.stages[i].macs - 1e-6);
        EXPECT_GE(largest, 0.6 * one.space.stages[i].macs - 1e-6);
        input = joined(design.stages[i]);
      }
    }
  }
}

TEST(PlacementShape, InputsAreThoseOfTheBestDesigns) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Made one = made(seed);
    const auto inputs = inputs_of(one.space, one.bounds, one.costs);
    for (const Design& design : best_designs(one.space, one.bounds, one.costs, 10))
      for (std::size_t i = 0; i < design.stages.size(); ++i)
        EXPECT_TRUE(inputs[i + 1].contains(joined(design.stages[i]))) << seed;
  }
}

TEST(PlacementShape, DesignsThatSwapEqualProcessorsAreOne) {
  Made one = made(1);
  one.bounds.sum = 0.8;
  const auto seconds = one.costs.seconds;
  // Processor 0 for all: equal ones take equal times.
  one.costs.seconds = [&](std::size_t stage, const BranchShape& branch, std::int64_t in,
                          bool alone) {
    return seconds(stage, {0, branch.depth, branch.width}, in, alone);
  };
  std::vector<double> every;
  for (const Design& design : best_designs(one.space, one.bounds, one.costs, 1000))
    every.push_back(design.seconds);
  one.space.kinds = {0, 0};
  const auto once = best_designs(one.space, one.bounds, one.costs, 1000);
  ASSERT_FALSE(once.empty());
  EXPECT_LT(once.size(), every.size());
  EXPECT_EQ(once.front().seconds, every.front());
  for (const Design& design : once)
    for (const StageShape& stage : design.stages) {
      EXPECT_EQ(stage.front().processor, 0U);
      if (stage.size() < 2) continue;
      EXPECT_GE(std::pair(stage[0].depth, stage[0].width),
                std::pair(stage[1].depth, stage[1].width));
    }
}

TEST(PlacementShape, DepthsBeginAtTheShareRoundedUp) {
  EXPECT_EQ(depths_of(3, 0.66), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(depths_of(6, 0.66), (std::vector<std::int64_t>{4, 5, 6}));
  EXPECT_EQ(depths_of(1, 0.66), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(depths_of(10, 0.7), (std::vector<std::int64_t>{7, 8, 9, 10}));
  EXPECT_EQ(depths_of(4, 0), (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST(PlacementShape, AGridIsExactForValuesThatAreLinearInEachCoordinate) {
  Grid grid({std::vector<std::int64_t>{2, 6}, {16, 48, 128}, {32, 96}});
  const auto linear = [](const Grid::Point& at) {
    return static_cast<double>(at[0]) * (3 + static_cast<double>(at[1])) +
           static_cast<double>(at[1] * at[2]) / 8;
  };
  std::vector<double> seconds;
  for (const auto& point : grid.points()) seconds.push_back(linear(point));
  grid.set(seconds);
  for (const Grid::Point& point :
       {Grid::Point{2, 16, 32}, {6, 128, 96}, {4, 100, 50}, {3, 48, 64}, {5, 17, 95}})
    EXPECT_NEAR(grid.at(point), linear(point), 1e-9);
  EXPECT_NEAR(grid.at({9, 999, 999}), linear({6, 128, 96}), 1e-9);
  EXPECT_NEAR(grid.at({1, 1, 1}), linear({2, 16, 32}), 1e-9);
}

TEST(PlacementShape, AGridNeverFallsWhateverWasMeasured) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> draw(1, 9);
  for (int turn = 0; turn < 50; ++turn) {
    Grid grid({std::vector<std::int64_t>{1, 3}, {16, 32, 64, 80}, {8, 24}});
    std::vector<double> seconds(grid.points().size());
    for (double& one : seconds) one = draw(random);
    grid.set(seconds);
    for (std::int64_t depth = 1; depth <= 3; ++depth)
      for (std::int64_t width = 16; width <= 80; width += 8)
        for (std::int64_t in = 8; in <= 24; in += 4) {
          const double here = grid.at({depth, width, in});
          EXPECT_LE(here, grid.at({depth + 1, width, in}) + 1e-9);
          EXPECT_LE(here, grid.at({depth, width + 8, in}) + 1e-9);
          EXPECT_LE(here, grid.at({depth, width, in + 4}) + 1e-9);
        }
  }
}

TEST(PlacementShape, SpreadKeepsTheEnds) {
  EXPECT_EQ(spread({1, 2, 3}, 4), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(spread({1, 2, 3, 4, 5, 6, 7}, 4), (std::vector<std::int64_t>{1, 3, 5, 7}));
  EXPECT_EQ(spread({1, 2, 3, 4, 5, 6}, 2), (std::vector<std::int64_t>{1, 6}));
}

}  // namespace
}  // namespace edgeprobe::placement::shape
