// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "edgeprobe.hpp"
#include "prepare.h"

extern const char kUsage[];

/// The values of the command line.
struct Flags {
  std::string model, source, engine, delegate, labels, trace;
  int threads = 1;
  std::size_t frames = SIZE_MAX;
  Preparation preparation;
  std::string quantize = "model";
  edgeprobe::Options probe;
  std::vector<std::pair<std::string, std::string>>
      facts;  ///< Facts about the device, for the trace.
};

/// False if the command line is invalid.
bool parse(int argc, char** argv, Flags& flags);
