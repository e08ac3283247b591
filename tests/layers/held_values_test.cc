// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <string>

#include "layers/pairing/values.h"

namespace edgeprobe::layers {
namespace {

constexpr std::size_t kEach = std::size_t{3} << 20, kFrames = 5;
constexpr int kTensors = 2;

Tensor random_tensor(unsigned seed) {
  Tensor tensor;
  tensor.spec.name = "t";
  tensor.spec.dtype = DType::kUInt8;
  tensor.spec.shape = {static_cast<std::int64_t>(kEach)};
  std::mt19937 random(seed);
  tensor.bytes.resize(kEach);
  for (std::byte& byte : tensor.bytes) byte = static_cast<std::byte>(random());
  return tensor;
}

unsigned seed_of(int tensor, std::size_t frame) {
  return static_cast<unsigned>(tensor) * 100 + static_cast<unsigned>(frame);
}

void fill(HeldValues& values) {
  for (std::size_t frame = 0; frame < kFrames; ++frame)
    for (int tensor = 0; tensor < kTensors; ++tensor)
      values.add(tensor, random_tensor(seed_of(tensor, frame)));
}

void expect_filled(const HeldValues& values, int tensor) {
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    const auto read = values.read(tensor, frame);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->bytes, random_tensor(seed_of(tensor, frame)).bytes);
    EXPECT_EQ(read->spec.shape, Shape{static_cast<std::int64_t>(kEach)});
  }
}

long resident_kb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(HeldValues, WhatDoesNotFitInMemoryIsReadFromAFile) {
  static_assert(kEach * kFrames * kTensors > 3 * HeldValues::kMostInMemory);
  const long before = resident_kb();
  HeldValues values(kFrames);
  fill(values);
  const long more = resident_kb() - before;
  // 30 MB were added; sanitizers hold freed memory back.
  if (!std::getenv("ASAN_OPTIONS")) {
    EXPECT_LT(more, 22 << 10);
  }
  for (int tensor = 0; tensor < kTensors; ++tensor) expect_filled(values, tensor);
  EXPECT_FALSE(values.read(0, kFrames));
  values.remove(0);
  EXPECT_FALSE(values.find(0));
  expect_filled(values, 1);
}

TEST(HeldValues, WithoutATemporaryFolderTheyAreInMemory) {
  const char* const named = std::getenv("TMPDIR");
  const std::string before = named ? named : "";
  ::setenv("TMPDIR", "/nowhere", 1);
  HeldValues values(kFrames);
  fill(values);
  for (int tensor = 0; tensor < kTensors; ++tensor) expect_filled(values, tensor);
  if (named) ::setenv("TMPDIR", before.c_str(), 1);
  else ::unsetenv("TMPDIR");
}

TEST(HeldValues, AFullDiskLosesNothing) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4 << 20, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  HeldValues values(kFrames);
  fill(values);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  for (int tensor = 0; tensor < kTensors; ++tensor) expect_filled(values, tensor);
}

}  // namespace
}  // namespace edgeprobe::layers
