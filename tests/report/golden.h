// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/file.h"
#include "source_dir.h"

namespace edgeprobe::report {

/// Compares `text` with tests/golden/report/NAME; EDGEPROBE_UPDATE_GOLDENS=1 rewrites the file
/// instead.
inline void expect_golden(const std::string& name, const std::string& text) {
  const auto path =
      std::filesystem::path(edgeprobe::test::source_dir()) / "tests/golden/report" / name;
  if (const char* update = std::getenv("EDGEPROBE_UPDATE_GOLDENS");
      update && std::string(update) == "1") {
    const Status written = write_file(path, view_of(text));
    ASSERT_TRUE(written) << written.error().what;
    std::filesystem::permissions(path, std::filesystem::perms(0644));
    return;
  }
  const auto golden = read_file(path);
  ASSERT_TRUE(golden) << golden.error().what << "; write it with EDGEPROBE_UPDATE_GOLDENS=1";
  EXPECT_EQ(text, ByteView(*golden).text())
      << name << " changed; if that is meant, run again with EDGEPROBE_UPDATE_GOLDENS=1";
}

}  // namespace edgeprobe::report
