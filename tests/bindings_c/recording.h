// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "readback.h"

/// A probe with its own file.
struct Recording {
  Recording() {
    std::string pattern = (std::filesystem::temp_directory_path() / "edgeprobe_XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    probe = edgeprobe::Probe(folder + "/app.mcap");
  }
  ~Recording() { std::filesystem::remove_all(folder); }

  /// Closes the probe and returns the contents of its file.
  readback::Trace read() {
    probe.close();
    readback::Trace trace = readback::read(folder + "/app.mcap");
    EXPECT_EQ(trace.problem, "");
    return trace;
  }

  std::string folder;
  edgeprobe::Probe probe;
};
