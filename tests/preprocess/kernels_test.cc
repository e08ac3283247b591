// SPDX-License-Identifier: Apache-2.0
#include "preprocess/picture/kernels.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::preprocess {
namespace {

using testing::ElementsAre;

TEST(ResamplingMatrix, RowsStayInsideAndSumToOne) {
  for (const Kernel kernel : {Kernel::kNearest, Kernel::kBilinear, Kernel::kArea, Kernel::kBox,
                              Kernel::kBicubic, Kernel::kLanczos3, Kernel::kLanczos4}) {
    for (const Align align : {Align::kHalfPixel, Align::kCorners, Align::kLegacy}) {
      for (const bool antialias : {false, true}) {
        for (const Edge edge : {Edge::kReplicate, Edge::kDrop}) {
          for (const int in : {1, 2, 3, 7, 64, 333}) {
            for (const int out : {1, 2, 5, 64, 100, 700}) {
              const BandedMatrix m = resampling_matrix(
                  {kernel, align, antialias, -0.75, Grid::kDouble, edge}, in, out);
              ASSERT_EQ(m.out, out);
              for (int i = 0; i < out; ++i) {
                ASSERT_GE(m.first[i], 0);
                ASSERT_LE(m.first[i] + m.taps, in);
                double sum = 0;
                for (int k = 0; k < m.taps; ++k) sum += m.weight[std::size_t(i) * m.taps + k];
                ASSERT_NEAR(sum, 1.0, 1e-9) << in << "->" << out << " row " << i;
              }
            }
          }
        }
      }
    }
  }
}

TEST(ResamplingMatrix, NothingForSizesThatAreNone) {
  EXPECT_EQ(resampling_matrix({}, 0, 5).out, 0);
  EXPECT_EQ(resampling_matrix({}, 5, -1).out, 0);
}

TEST(Resample, AveragesPairs) {
  const Raster row{1, 4, 1, {0, 10, 20, 60}};
  const auto axes = resizer({Kernel::kArea}, 1, 4, 1, 2);
  EXPECT_THAT(resample(row, axes.rows, axes.columns).values, ElementsAre(5, 40));
}

TEST(Resample, AlignsAsNamed) {
  const Raster row{1, 2, 1, {0, 90}};
  const auto at = [&](Align align) {
    const auto axes = resizer({Kernel::kBilinear, align}, 1, 2, 1, 4);
    std::vector<int> rounded;
    for (const float v : resample(row, axes.rows, axes.columns).values)
      rounded.push_back(int(std::lround(v)));
    return rounded;
  };
  // Positions -0.25, 0.25, 0.75, 1.25; then 0, 1/3, 2/3, 1; then 0, 0.5, 1, 1.5.
  EXPECT_THAT(at(Align::kHalfPixel), ElementsAre(0, 23, 68, 90));
  EXPECT_THAT(at(Align::kCorners), ElementsAre(0, 30, 60, 90));
  EXPECT_THAT(at(Align::kLegacy), ElementsAre(0, 45, 90, 90));
}

}  // namespace
}  // namespace edgeprobe::preprocess
