// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/layer_causes.h"

#include <gtest/gtest.h>

namespace edgeprobe::diagnose {
namespace {

TEST(LayersText, ListsEightAtMost) {
  EXPECT_EQ(layers_text({3}), "layer 3");
  EXPECT_EQ(layers_text({3, 5}), "layers 3, 5");
  EXPECT_EQ(layers_text({1, 2, 3, 4, 5, 6, 7, 8}), "layers 1, 2, 3, 4, 5, 6, 7, 8");
  EXPECT_EQ(layers_text({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
            "layers 1, 2, 3, 4, 5, 6, 7, 8 and 2 more");
}

TEST(ShareOf, IsThePartOfTheSquaredDistanceThatGoes) {
  EXPECT_DOUBLE_EQ(share_of(2, 0, 2), 1);
  EXPECT_DOUBLE_EQ(share_of(2, 1, 2), 0.75);
  EXPECT_DOUBLE_EQ(share_of(2, 1, 4), 3.0 / 16);
  EXPECT_DOUBLE_EQ(share_of(1, 2, 2), 0) << "what makes it worse takes nothing away";
  EXPECT_DOUBLE_EQ(share_of(0, 0, 0), 0);
}

}  // namespace
}  // namespace edgeprobe::diagnose
