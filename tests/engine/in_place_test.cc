// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/in_place.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

namespace edgeprobe::engine::tflite {
namespace {

/// "in" -> operator (with "size") -> "out".
struct Small {
  model::Graph graph;
  explicit Small(const char* type, DType size_type = DType::kInt32, bool constant = true) {
    graph.tensors.resize(3);
    graph.tensors[1].spec.dtype = size_type;
    graph.tensors[1].is_constant = constant;
    model::Layer layer;
    layer.type = type;
    layer.inputs = {0, 1, -1};
    layer.outputs = {2};
    graph.layers = {layer};
    graph.inputs = {0};
    graph.outputs = {2};
  }
};

TEST(FixedShapes, AreThoseThatNoOperatorComputes) {
  EXPECT_TRUE(shapes_are_fixed(Small("RESHAPE").graph));
  EXPECT_FALSE(shapes_are_fixed(Small("RESHAPE", DType::kInt32, false).graph));
  EXPECT_FALSE(shapes_are_fixed(Small("TILE", DType::kInt64, false).graph));
  EXPECT_TRUE(shapes_are_fixed(Small("ADD", DType::kFloat32, false).graph));
  EXPECT_TRUE(shapes_are_fixed(Small("ADD", DType::kInt8, false).graph));
}

TEST(FixedShapes, AreNotExpectedOfOperatorsThatMayDecideThem) {
  for (const char* const type :
       {"WHERE", "UNIQUE", "IF", "WHILE", "CUSTOM:TFLite_Detection_PostProcess",
        "STABLEHLO_COMPOSITE", "BUILTIN_300"})
    EXPECT_FALSE(shapes_are_fixed(Small(type).graph)) << type;
}

class InPlace : public ::testing::Test {
 protected:
  alignas(64) std::array<std::byte, 256> memory_{};
  const Place in_{memory_.data(), 64};
  const Place out_{memory_.data() + 128, 32};
  Small small_{"RESHAPE"};
};

TEST_F(InPlace, ComputesWhereEveryTensorHasAPlaceOfItsOwn) {
  EXPECT_TRUE(can_compute_in_place(small_.graph, {in_}, {out_}));
  EXPECT_FALSE(can_compute_in_place(small_.graph, {in_}, {in_}));
  EXPECT_FALSE(can_compute_in_place(small_.graph, {in_, in_}, {out_}));
  EXPECT_FALSE(can_compute_in_place(small_.graph, {in_}, {{nullptr, 0}}));
  small_.graph.outputs = {0};
  EXPECT_FALSE(can_compute_in_place(small_.graph, {in_}, {out_}));
  EXPECT_FALSE(can_compute_in_place(ByteView(memory_.data(), memory_.size()), {in_}, {out_}));
}

TEST_F(InPlace, NeedsReadableBytesBehindAPlace) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const mapped =
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const end = static_cast<std::byte*>(mapped) + page;
  ASSERT_EQ(::mprotect(end, page, PROT_NONE), 0);
  EXPECT_FALSE(can_compute_in_place(small_.graph, {{end - 64, 64}}, {out_}));
  EXPECT_FALSE(can_compute_in_place(small_.graph, {{end - 64, 52}}, {out_}));
  EXPECT_TRUE(can_compute_in_place(small_.graph, {{end - 64, 48}}, {out_}));
  ::munmap(mapped, 2 * page);
}

}  // namespace
}  // namespace edgeprobe::engine::tflite
