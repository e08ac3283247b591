// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "edgeprobe.h"

// Shared code of the probe's benchmarks: the work of an application.

inline std::uint64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

inline double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// A tensor with its own memory.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<unsigned char> bytes;
  edgeprobe_tensor tensor{};

  Tensor(edgeprobe_stage stage, std::string its_name, edgeprobe_dtype dtype,
         std::vector<std::int64_t> its_shape, std::size_t size)
      : name(std::move(its_name)), shape(std::move(its_shape)), bytes(size) {
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 31);
    tensor.struct_size = sizeof tensor;
    tensor.stage = stage;
    tensor.dtype = dtype;
    tensor.rank = static_cast<std::uint32_t>(shape.size());
    tensor.size = size;
    tensor.position = 0;
  }
  Tensor(edgeprobe_stage stage, const char* its_name, std::size_t size)
      : Tensor(stage, its_name, EDGEPROBE_INT8, {static_cast<std::int64_t>(size)}, size) {}
  const edgeprobe_tensor* get() {
    tensor.name = name.c_str();
    tensor.shape = shape.data();
    tensor.data = bytes.data();
    return &tensor;
  }
};

inline edgeprobe_probe* open_probe(const std::string& path,
                                   edgeprobe_level level = EDGEPROBE_LEVEL_IO,
                                   edgeprobe_raw raw = EDGEPROBE_RAW_SAMPLE) {
  std::filesystem::remove(path);
  edgeprobe_options options;
  edgeprobe_options_init(&options);
  options.level = level;
  options.raw = raw;
  if (raw == EDGEPROBE_RAW_ALL) options.raw_bytes = 0;
  edgeprobe_probe* probe = nullptr;
  if (edgeprobe_open(path.c_str(), &options, &probe) != EDGEPROBE_OK) {
    std::fprintf(stderr, "probe_bench: %s\n", edgeprobe_last_error());
    std::exit(1);
  }
  return probe;
}
