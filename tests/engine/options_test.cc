// SPDX-License-Identifier: Apache-2.0
// Options travel as JSON and come back as they were.
#include "engine/options.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "engine/vulkan_driver.h"

namespace edgeprobe::engine::testing {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::string_view text) {
  const auto options = session_options_from_json(text);
  EXPECT_FALSE(options) << text;
  if (!options) {
    EXPECT_EQ(options.error().kind, ErrorKind::kUsage);
  }
  return options ? "" : options.error().what;
}

SessionOptions random_options(std::mt19937& generator) {
  const auto text = [&] {
    static constexpr std::string_view kLetters("a\"\\/\0\n\xc3\xa9\xff\x80{", 12);
    std::string made;
    for (std::size_t i = generator() % 8; i > 0; --i) made += kLetters[generator() % 12];
    return made;
  };
  const auto number = [&] { return static_cast<std::int64_t>(generator()) - 2'000'000'000; };
  SessionOptions options;
  options.threads = static_cast<int>(number());
  while (generator() % 3) options.cpus.push_back(static_cast<int>(generator() % 4096));
  while (generator() % 3) {
    Delegate& delegate = options.delegates.emplace_back();
    delegate.kind = static_cast<Delegate::Kind>(generator() % 3);
    delegate.library = text();
    while (generator() % 2) delegate.options.emplace_back(text(), text());
  }
  options.precision = static_cast<Precision>(generator() % 2);
  options.profile = generator() % 2;
  options.folder = text();
  while (generator() % 3) options.input_shapes[text()] = {number() * 4'000'000'000, -1, 3};
  options.load_limit = std::chrono::milliseconds(number());
  options.invoke_limit = std::chrono::milliseconds::max();
  options.shared_process = generator() % 2;
  if (const auto which = generator() % 4; which == 1)
    options.own = OnnxRuntimeOptions{static_cast<Optimization>(generator() % 4),
                                     generator() % 2 == 0, generator() % 2 == 0};
  else if (which == 2) options.own = TfliteOptions{static_cast<Kernels>(generator() % 3)};
  else if (which == 3) options.own = TfliteOptions{};
  return options;
}

TEST(SessionOptionsAsJson, ReadBackAsTheyWere) {
  std::mt19937 generator(1);
  EXPECT_EQ(*session_options_from_json(to_json(SessionOptions{})), SessionOptions{});
  for (int round = 0; round < 5'000; ++round) {
    const SessionOptions options = random_options(generator);
    const std::string text = to_json(options);
    const auto again = session_options_from_json(text);
    ASSERT_TRUE(again) << text << ": " << again.error().what;
    ASSERT_EQ(*again, options) << text;
    ASSERT_EQ(to_json(*again), text);
  }
}

TEST(SessionOptionsAsJson, HaveDefaultsForWhatIsMissing) {
  EXPECT_EQ(*session_options_from_json("{}"), SessionOptions{});
  EXPECT_EQ(session_options_from_json(R"({"threads": 4})")->threads, 4);
  const auto own = session_options_from_json(R"({"own": {"spinning": false}})");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->own, OwnOptions(OnnxRuntimeOptions{Optimization::kAll, false}));
}

TEST(SessionOptionsAsJson, AreRefusedByTheKeyThatIsWrong) {
  EXPECT_THAT(refusal(""), HasSubstr("expected a JSON object"));
  EXPECT_THAT(refusal("[]"), HasSubstr("expected a JSON object"));
  EXPECT_THAT(refusal(R"({"thread": 1})"), HasSubstr("'thread' is not known"));
  const std::pair<const char*, const char*> wrong[] = {
      {"threads", "1.5"},
      {"threads", "3000000000"},
      {"cpus", "[0, \"1\"]"},
      {"precision", "\"f16\""},
      {"profile", "1"},
      {"folder", R"({"hex": "f"})"},
      {"folder", R"({"hex": "zz"})"},
      {"delegates", R"([{"kind": "npu", "library": "", "options": []}])"},
      {"delegates", R"([{"kind": "gpu"}])"},
      {"input_shapes", R"([["x", [1]], ["x", [2]]])"},
      {"input_shapes", R"({"x": [1]})"},
      {"load_limit_ms", "18446744073709551615"},
      {"own", R"({"kernels": "fast"})"},
      {"own", R"({"kernels": "builtin", "spinning": true})"},
      {"own", "{}"},
  };
  for (const auto& [key, value] : wrong)
    EXPECT_THAT(refusal(std::string("{\"") + key + "\": " + value + "}"),
                HasSubstr(std::string("'") + key + "' cannot be "))
        << value;
}

TEST(VulkanDriver, LabelsTheDelegatesThatComputeThroughIt) {
  ::unsetenv("VK_ICD_FILENAMES");
  ::setenv("VK_DRIVER_FILES", "/opt/mesa/lvp_icd.json", 1);
  EXPECT_EQ(labelled_delegate("gpu"), "gpu (software)");
  EXPECT_EQ(labelled_delegate("libonnxruntime_providers_webgpu.so"),
            "libonnxruntime_providers_webgpu.so (software)");
  EXPECT_EQ(labelled_delegate("libonnxruntime_providers_cuda.so"),
            "libonnxruntime_providers_cuda.so");
  EXPECT_EQ(labelled_delegate("nnapi"), "nnapi");
  ::setenv("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/radeon_icd.json", 1);
  ::setenv("VK_ICD_FILENAMES", "/opt/mesa/lvp_icd.json", 1);
  EXPECT_EQ(chosen_drivers(), "/usr/share/vulkan/icd.d/radeon_icd.json");
  EXPECT_EQ(labelled_delegate("gpu"), "gpu");
  ::unsetenv("VK_DRIVER_FILES");
  EXPECT_EQ(labelled_delegate("gpu"), "gpu (software)");
  ::unsetenv("VK_ICD_FILENAMES");
  EXPECT_EQ(chosen_drivers(), "");
}

}  // namespace
}  // namespace edgeprobe::engine::testing
