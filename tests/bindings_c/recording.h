// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "readback.h"

/// A probe on a file of its own.
struct Recording {
  Recording() {
    std::string pattern = (std::filesystem::temp_directory_path() / "edgeprobe_XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    probe = edgeprobe::Probe(folder + "/app.mcap");
  }
  ~Recording() { std::filesystem::remove_all(folder); }

  /// What it holds; the probe is closed.
  readback::Trace read() {
    probe.close();
    readback::Trace trace = readback::read(folder + "/app.mcap");
    EXPECT_EQ(trace.problem, "");
    return trace;
  }

  std::string folder;
  edgeprobe::Probe probe;
};
