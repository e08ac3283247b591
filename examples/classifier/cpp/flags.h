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

/// What the command line says.
struct Flags {
  std::string model, source, engine, delegate, labels, trace;
  int threads = 1;
  std::size_t frames = SIZE_MAX;
  Preparation preparation;
  std::string quantize = "model";
  edgeprobe::Options probe;
  std::vector<std::pair<std::string, std::string>> facts;  ///< Of the device, for the trace.
};

/// False when it cannot be understood.
bool parse(int argc, char** argv, Flags& flags);
