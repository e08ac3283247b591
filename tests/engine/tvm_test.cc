// SPDX-License-Identifier: Apache-2.0
// What is refused as a TVM runtime and as a module. Numbers: tests/convert/convert_test.py, against
// TVM's own Python.
#include <gmock/gmock.h>

#include "engine/tvm/metadata.h"
#include "fixtures.h"

namespace edgeprobe::engine::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Tvm, RuntimesNeedTheirOtherLibrary) {
  const auto other = open_in_process({"tvm", POOL_DELEGATE});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("libtvm_ffi.so"));
}

TEST(Tvm, SaysItsVersion) {
  EDGEPROBE_NEED_ENGINE("tvm");
  const auto engine = open_supervised({"tvm", {}});
  ASSERT_TRUE(engine) << engine.error().what;
  EXPECT_EQ((*engine)->identity().version, "0.27.0.post1 (ffi 0.1.14)");
}

TEST(Tvm, ModulesThatDoNotSayWhatTheyAreAreRefused) {
  EDGEPROBE_NEED_ENGINE("tvm");
  const auto engine = open_supervised({"tvm", {}});
  ASSERT_TRUE(engine) << engine.error().what;
  const auto other = read_file(POOL_DELEGATE);
  ASSERT_TRUE(other);
  const auto unnamed = (*engine)->load(*other, "other.so", {});
  ASSERT_FALSE(unnamed);
  EXPECT_THAT(unnamed.error().what, AllOf(HasSubstr("cannot load 'other.so'"),
                                          HasSubstr("edgeprobe convert MODEL --to tvm")));
  const auto text = (*engine)->load(view_of("no machine code"), "text.so", {});
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().what, HasSubstr("no ELF header"));
}

TEST(Tvm, MachineCodeIsNotLoadedIntoTheProgramItself) {
  EDGEPROBE_NEED_ENGINE("tvm");
  const auto engine = open_in_process({"tvm", {}});
  ASSERT_TRUE(engine) << engine.error().what;
  const auto refused = (*engine)->load(view_of("anything"), "m.so", {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("only in a supervised engine process"));
}

TEST(TvmMetadata, IsReadWithEveryFieldChecked) {
  const auto good = tvm::read_metadata(R"({"edgeprobe": 1, "tvm": "0.27", "tuning": null,
      "inputs": [{"name": "x", "dtype": "int8", "shape": [1, 4], "scale": [0.5], "zero_point": [-3], "axis": 0}],
      "outputs": [{"name": "y", "dtype": "float32", "shape": []}]})");
  ASSERT_TRUE(good) << good.error().what;
  EXPECT_EQ(good->inputs.at(0).shape, (Shape{1, 4}));
  EXPECT_EQ(good->inputs.at(0).quantization.zero_point_at(0), -3);
  EXPECT_EQ(good->outputs.at(0).name, "y");
  EXPECT_EQ(good->tuning, "");
  const std::pair<const char*, const char*> wrong[] = {
      {"", "'edgeprobe'"},
      {R"({"edgeprobe": 2})", "newer edgeprobe"},
      {R"({"edgeprobe": 1, "inputs": [], "outputs": []})", "'outputs'"},
      {R"({"edgeprobe": 1, "inputs": [3], "outputs": []})", "'inputs[0]'"},
      {R"({"edgeprobe": 1, "inputs": [{"name": "x", "dtype": "int4", "shape": [1]}], "outputs": []})",
       "inputs[0].dtype"},
      {R"({"edgeprobe": 1, "inputs": [{"name": "x", "dtype": "int8", "shape": [0]}], "outputs": []})",
       "inputs[0].shape"},
      {R"({"edgeprobe": 1, "inputs": [{"name": "x", "dtype": "int8", "shape": [4000000000]}], "outputs": []})",
       "2 GB"},
  };
  for (const auto& [text, named] : wrong) {
    const auto refused = tvm::read_metadata(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().what, HasSubstr(named)) << text;
  }
}

}  // namespace
}  // namespace edgeprobe::engine::testing
