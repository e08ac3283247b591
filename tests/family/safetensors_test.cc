// SPDX-License-Identifier: Apache-2.0
#include "family/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/codec.h"
#include "family/weights.h"

namespace edgeprobe::family {
namespace {

using testing::HasSubstr;

std::string file_of(const std::string& header, const std::string& data) {
  std::string out(8, '\0');
  std::byte length[8];
  store_little(length, static_cast<std::uint64_t>(header.size()));
  std::copy_n(reinterpret_cast<const char*>(length), 8, out.begin());
  return out + header + data;
}

TEST(Safetensors, ReadsTheFormatsOwnExample) {
  const std::string file = file_of(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[2,10]},)"
      R"("a":{"dtype":"F16","shape":[1,1],"data_offsets":[0,2]}})",
      std::string("\x00\x3c", 2) + std::string("\x00\x00\x80\x3f\x00\x00\x00\x40", 8));
  const auto read = read_safetensors(view_of(file));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at("a").shape, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(read->at("b").bytes.size, 8u);
}

TEST(Safetensors, RefusesWhatTheFormatForbids) {
  const std::string four(4, '\0');
  const auto entry = [](const std::string& rest) {
    return R"({"a":{"dtype":"F32",)" + rest + "}}";
  };
  const struct {
    std::string file, words;
  } cases[] = {
      {"", "0 bytes"},
      {std::string(8, '\xff'), "header would have"},
      {file_of("{", ""), "not a JSON object"},
      {file_of("[1]", ""), "not a JSON object"},
      {file_of(std::string(64, '['), ""), "nested too deeply"},
      {file_of(entry(R"("shape":[1])"), four), "needs dtype, shape and data_offsets"},
      {file_of(entry(R"("shape":[1],"data_offsets":[0,8])"), four), "outside the file"},
      {file_of(entry(R"("shape":[1],"data_offsets":[4,0])"), four), "outside the file"},
      {file_of(entry(R"("shape":[2],"data_offsets":[0,4])"), four), "its shape needs 8"},
      {file_of(entry(R"("shape":[-1],"data_offsets":[0,4])"), four), "whole numbers"},
      {file_of(entry(R"("shape":[1099511627776,1099511627776],"data_offsets":[0,4])"), four),
       "whole numbers"},
      {file_of(entry(R"("shape":[1],"data_offsets":[0,4])"), four + four), "after its last"},
      {file_of(R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", four),
       "unknown type 'F99'"},
      {file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
               R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
               four),
       "overlap"},
  };
  for (const auto& one : cases) {
    const auto read = read_safetensors(view_of(one.file));
    ASSERT_FALSE(read) << one.words;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
    EXPECT_THAT(read.error().what, HasSubstr(one.words));
  }
}

Network small() {
  const auto read = read_configuration(
      "family: 1\nsize: 8\nclasses: 2\nblock: basic\nstages: [{width: 8}]\n", "net.yml");
  return *build(*read, {});
}

TEST(Weights, SurviveTheFile) {
  const Network network = small();
  const Weights weights = initial_weights(network, 3);
  const std::string file = to_safetensors(network, weights);
  const auto read = from_safetensors(network, view_of(file));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, weights);
}

TEST(Weights, OfAnotherNetworkNameTheFirstDifference) {
  const Network network = small();
  Network other = network;
  other.layers.front().channels += 1;
  const std::string file = to_safetensors(network, initial_weights(network, 1));
  const auto read = from_safetensors(other, view_of(file));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("'stem.conv.weight' has the shape [32, 3, 3, 3]; "
                                           "expected [33, 3, 3, 3]"));
}

TEST(Weights, ThatAreNotFiniteAreRefused) {
  const Network network = small();
  Weights weights = initial_weights(network, 1);
  weights.at("head.fc.bias")[1] = std::numeric_limits<float>::quiet_NaN();
  const auto read = from_safetensors(network, view_of(to_safetensors(network, weights)));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("'head.fc.bias' has a value that is not a finite"));
}

}  // namespace
}  // namespace edgeprobe::family
