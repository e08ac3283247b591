// SPDX-License-Identifier: Apache-2.0
// Lists and masks of CPUs as text.
#include "core/cpu_list.h"

#include <gtest/gtest.h>

namespace edgeprobe {
namespace {

using Cpus = std::vector<int>;

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(cpu_list_from_text("0,2-3"), (Cpus{0, 2, 3}));
  EXPECT_EQ(cpu_list_from_text(""), Cpus{});
  EXPECT_EQ(cpu_list_from_text("4095"), Cpus{4095});
  for (const char* const bad : {"-1", "1-", "-", ",", "1,", ",1", "3-2", "0x3", "1 2", "4096",
                                "0-99999999999", "99999999999999999999", "0-7:2/4", "a"})
    EXPECT_FALSE(cpu_list_from_text(bad)) << bad;
}

TEST(CpuList, IsWrittenAsListAndMask) {
  EXPECT_EQ(cpu_list_text({0, 2, 3, 4, 7}), "0,2-4,7");
  EXPECT_EQ(cpu_list_text({}), "");
  EXPECT_EQ(cpu_mask_text({6, 7}), "c0");
  EXPECT_EQ(cpu_mask_text({0}), "1");
  EXPECT_EQ(cpu_mask_text({}), "0");
  EXPECT_EQ(cpu_mask_text({0, 65}), "20000000000000001");  // Wider than any machine word.
}

}  // namespace
}  // namespace edgeprobe
