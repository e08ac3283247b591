// SPDX-License-Identifier: Apache-2.0
// assert_that() as an application calls it, read back by our reader.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "edgeprobe.hpp"
#include "readback.h"

using namespace edgeprobe;

namespace {

class Assertions : public testing::Test {
 protected:
  Assertions() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "edgeprobe_assertions_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Assertions() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/app.mcap"; }

  std::string folder_;
};

TEST_F(Assertions, AtStartTheyAreMarksAndWhatDoesNotHoldIsPrinted) {
  testing::internal::CaptureStderr();
  {
    Probe probe(path(), Level::io);
    ASSERT_TRUE(probe.ok()) << probe.error();
    EXPECT_TRUE(assert_that(probe, "labels", [] { return true; }));
    EXPECT_TRUE(assert_that(probe, "shape", [] { return std::string(); }));
    EXPECT_FALSE(assert_that(probe, "size", [] { return std::string("640x480"); }));
    EXPECT_FALSE(
        assert_that(probe, "model", []() -> bool { throw std::runtime_error("no file"); }));
    const auto frame = probe.frame();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "edgeprobe: assertion 'size' does not hold: 640x480\n"
            "edgeprobe: assertion 'model' does not hold: it throws: no file\n");
  const readback::Trace trace = readback::read(path());
  EXPECT_EQ(trace.events,
            (std::vector<std::string>{"mark assertion.labels holds", "mark assertion.shape holds",
                                      "mark assertion.size 640x480",
                                      "mark assertion.model it throws: no file"}));
}

TEST_F(Assertions, OfAFrameTheyAreVariablesOfIt) {
  {
    Probe probe(path(), Level::io);
    for (int i = 0; i < 3; ++i) {
      const auto frame = probe.frame();
      EXPECT_EQ(assert_that(frame, "odd", [&] { return i % 2 == 1; }), i % 2 == 1);
    }
  }
  const readback::Trace trace = readback::read(path());
  const readback::Tensor* const odd = trace.find("variable/assertion.odd");
  ASSERT_NE(odd, nullptr);
  EXPECT_EQ(odd->frames.size(), 3u);
  EXPECT_NE(odd->frames.at(0), odd->frames.at(1));
  EXPECT_EQ(odd->frames.at(0), odd->frames.at(2));
  EXPECT_EQ(trace.bytes("variable/assertion.odd.why", 2), "it is false");
  EXPECT_EQ(trace.bytes("variable/assertion.odd.why", 1), "absent");
}

TEST_F(Assertions, InCTheApplicationChecksAndTheProbeRecords) {
  edgeprobe_probe* probe = nullptr;
  ASSERT_EQ(edgeprobe_open(path().c_str(), nullptr, &probe), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_assert_that(probe, "labels", nullptr), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_assert_that(probe, "size", ""), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_assert_that(probe, "model", "another file"), EDGEPROBE_OK);
  edgeprobe_frame* frame = nullptr;
  ASSERT_EQ(edgeprobe_frame_begin(probe, &frame), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_frame_assert_that(frame, "exposure", "too dark"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_frame_assert_that(frame, "focus", nullptr), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_frame_end(frame), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const readback::Trace trace = readback::read(path());
  EXPECT_EQ(trace.events,
            (std::vector<std::string>{"mark assertion.labels holds", "mark assertion.size holds",
                                      "mark assertion.model another file"}));
  EXPECT_EQ(trace.bytes("variable/assertion.exposure.why", 0), "too dark");
  const double no = 0, yes = 1;
  EXPECT_EQ(trace.bytes("variable/assertion.exposure", 0),
            std::string(reinterpret_cast<const char*>(&no), sizeof no));
  EXPECT_EQ(trace.bytes("variable/assertion.focus", 0),
            std::string(reinterpret_cast<const char*>(&yes), sizeof yes));
  EXPECT_EQ(trace.find("variable/assertion.focus.why"), nullptr);
}

TEST_F(Assertions, InCWrongCallsAreRefusedAndNoProbeIsOff) {
  EXPECT_EQ(edgeprobe_assert_that(nullptr, "a", nullptr), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_frame_assert_that(nullptr, "a", "b"), EDGEPROBE_OFF);
  Probe probe(path(), Level::io);
  EXPECT_EQ(edgeprobe_assert_that(probe.handle(), nullptr, nullptr), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_assert_that(probe.handle(), "", nullptr), EDGEPROBE_USAGE);
  const auto frame = probe.frame();
  EXPECT_EQ(edgeprobe_frame_assert_that(frame.handle(), nullptr, nullptr), EDGEPROBE_USAGE);
}

TEST_F(Assertions, WithoutAProbeTheyAreStillChecked) {
  const Probe none;
  const Frame frame;
  EXPECT_TRUE(assert_that(none, "a", [] { return true; }));
  EXPECT_TRUE(assert_that(frame, "a", [] { return true; }));
  EXPECT_FALSE(assert_that(frame, "a", [] { return false; }));
}

}  // namespace
