// SPDX-License-Identifier: Apache-2.0
#include "serve/places.h"

#include <gtest/gtest.h>

namespace edgeprobe::serve {
namespace {

using protocol::IoTensor;

TensorSpec codes(const char* name, DType dtype, Shape shape) {
  return {name, dtype, std::move(shape), {{.5f}, {0}, 0}};
}
IoTensor told(const TensorSpec& spec, std::optional<DType> prequantized = {}) {
  return {spec, prequantized};
}
std::vector<std::size_t> indices(const std::vector<TensorPlace>& places) {
  std::vector<std::size_t> all;
  for (const TensorPlace& place : places) all.push_back(place.index);
  return all;
}

TEST(Places, AreFoundByNameElseByOrder) {
  const std::vector<TensorSpec> ours{codes("a", DType::kInt8, {1}), codes("b", DType::kInt8, {2})};
  EXPECT_EQ(indices(places_of({}, ours, "inputs").value()), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(indices(places_of({told(ours[1]), told(ours[0])}, ours, "inputs").value()),
            (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(indices(places_of({told(ours[1]), told(ours[1])}, ours, "inputs").value()),
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(indices(places_of({told(ours[1]), told({"c", {}, {}, {}})}, ours, "inputs").value()),
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(places_of({told(ours[1])}, ours, "inputs").error().kind, ErrorKind::kUsage);
}

TEST(Places, KnowOnlyFloatsBesideCodes) {
  const std::vector<TensorSpec> ours{codes("a", DType::kInt8, {1})};
  EXPECT_EQ(places_of({told(ours[0], DType::kFloat64)}, ours, "inputs").error().kind,
            ErrorKind::kUnsupported);
  EXPECT_FALSE(places_of({told(ours[0], DType::kInt8)}, ours, "inputs").value()[0].is_prequantized);
  EXPECT_TRUE(
      places_of({told(ours[0], DType::kFloat32)}, ours, "inputs").value()[0].is_prequantized);
}

TEST(Places, SizesSayWhatTravelsAsFloat) {
  const std::vector<TensorSpec> specs{codes("a", DType::kInt8, {3})};
  const std::vector<TensorPlace> plain{{0, false}}, described{{0, true}};
  EXPECT_EQ(floats_in(3, plain, plain, specs), Floats::kNone);
  EXPECT_EQ(floats_in(12, plain, plain, specs), Floats::kAll);
  EXPECT_EQ(floats_in(12, described, plain, specs), Floats::kDescribed);
  EXPECT_EQ(floats_in(3, described, plain, specs), Floats::kNone);
  EXPECT_EQ(floats_in(4, described, plain, specs), std::nullopt);
}

TEST(Places, ADescriptionDecidesWhereSizesAreEqual) {
  const std::vector<TensorSpec> specs{codes("a", DType::kInt32, {3})};
  const std::vector<TensorPlace> plain{{0, false}}, described{{0, true}};
  EXPECT_EQ(floats_in(12, plain, plain, specs), Floats::kNone);
  EXPECT_EQ(floats_in(12, described, plain, specs), Floats::kDescribed);
  EXPECT_TRUE(travels_as_float(described[0], specs[0], Floats::kDescribed));
  // Only the outputs are described.
  EXPECT_EQ(floats_in(12, plain, described, specs), Floats::kDescribed);
  EXPECT_FALSE(travels_as_float(plain[0], specs[0], Floats::kDescribed));
}

TEST(Places, OneInputOfTwoMayBeDescribed) {
  const std::vector<TensorSpec> specs{codes("a", DType::kInt8, {3}),
                                      codes("b", DType::kUInt8, {5})};
  const std::vector<TensorPlace> places{{0, false}, {1, true}};
  EXPECT_EQ(floats_in(3 + 20, places, {}, specs), Floats::kDescribed);
  EXPECT_EQ(floats_in(8, places, {}, specs), Floats::kNone);
  EXPECT_EQ(floats_in(32, places, {}, specs), Floats::kAll);
}

}  // namespace
}  // namespace edgeprobe::serve
