// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/verbs.h"
#include "support.h"

namespace edgeprobe::cli {
namespace {

using trace::Folder;

class TraceCommand : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(trace::write_sample(folder_ / "t.mcap", 3)); }
  Result<Outcome> go(const std::vector<std::string>& words) {
    out_.str("");
    err_.str("");
    return perform(words, terminal_);
  }
  std::string path(const char* name = "t.mcap") const { return (folder_ / name).string(); }

  Folder folder_;
  std::ostringstream out_, err_;
  Terminal terminal_{out_, err_};
};

TEST_F(TraceCommand, InfoTellsWhatIsInside) {
  ASSERT_EQ(go({"trace", "info", path()}).value(), Outcome::kDone);
  const std::string text = out_.str();
  for (const char* part :
       {"frames    3, 3 with a sample name, 3 with a label", "tensors   9 on 3 channels",
        "threads = 2", "1x2x2x3", "net/conv", "scale 0.5, zero point -1"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  EXPECT_EQ(err_.str(), "");
}

TEST_F(TraceCommand, InfoAsJson) {
  ASSERT_TRUE(go({"trace", "info", path(), "--json"}));
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["frames"], 3);
  EXPECT_EQ(json["finished"], true);
  EXPECT_EQ(json["metadata"]["edgeprobe.run"]["model"], "net.tflite");
  EXPECT_EQ(json["tensors"][1]["name"], "net/conv");
  EXPECT_EQ(json["tensors"][1]["shape"], (std::vector<int>{1, 2, 2, 3}));
  EXPECT_EQ(json["file"], "t.mcap") << "a path of this machine";
}

TEST_F(TraceCommand, CompareThatIsStoppedIsNoVerdict) {
  std::atomic<bool> stop = true;
  terminal_.stop = &stop;
  const auto stopped = go({"compare", path(), path()});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
  EXPECT_NE(out_.str().find("undecided: interrupted"), std::string::npos) << out_.str();
  stop = false;
  EXPECT_EQ(go({"compare", path(), path()}).value(), Outcome::kDone);
}

TEST_F(TraceCommand, NamesFromTheFileCannotReachTheTerminal) {
  {
    auto writer = trace::Writer::open(folder_ / "evil.mcap");
    ASSERT_TRUE(writer->add_channel(trace::byte_channel(trace::Stage::kLayer, "a\x1b[2Jb", 1)));
    ASSERT_TRUE(writer->metadata("x\x1b", {{"k\x1b", "v\x1b\x07"}}));
    ASSERT_TRUE(writer->frame({0, 0, "s\x1b]0;title\x07", "", {}, {}}));
    ASSERT_TRUE(writer->close());
  }
  ASSERT_TRUE(go({"trace", "info", path("evil.mcap")}));
  EXPECT_EQ(out_.str().find('\x1b'), std::string::npos);
  EXPECT_NE(out_.str().find("a\\x1b[2Jb"), std::string::npos);
  ASSERT_TRUE(go({"trace", "cat", path("evil.mcap")}));
  EXPECT_EQ(out_.str().find('\x1b'), std::string::npos);
  ASSERT_TRUE(go({"trace", "info", path("evil.mcap"), "--json"}));
  EXPECT_EQ(nlohmann::json::parse(out_.str())["tensors"][0]["name"], "a\x1b[2Jb");
}

TEST_F(TraceCommand, CatShowsTheFirstValuesAndTheRange) {
  ASSERT_TRUE(go(
      {"trace", "cat", path(), "--frame", "1", "--tensor", "model_input/input", "--values", "2"}));
  const Bytes bytes = trace::noise(12, 10 + 1);
  const auto code = [&](std::size_t i) {
    return std::to_string(static_cast<int>(static_cast<std::int8_t>(bytes[i])));
  };
  EXPECT_EQ(out_.str().rfind("frame 1  a/1.png  label 1\n  model_input/input  int8 12  " + code(0) +
                                 " " + code(1) + " … 10 more  (",
                             0),
            0u)
      << out_.str();
  EXPECT_EQ(go({"trace", "cat", path(), "--frame", "77", "--values", "2"}).error().what,
            "'" + path() + "' has no frame 77; it has 3, from 0 to 2");
  EXPECT_NE(go({"trace", "cat", path(), "--tensor", "scorse", "--values", "2"})
                .error()
                .what.find("the nearest name is 'scores'"),
            std::string::npos);
}

TEST_F(TraceCommand, ExportWritesBothAndRefusesToOverwrite) {
  EXPECT_EQ(go({"trace", "export", path()}).error().kind, ErrorKind::kUsage);
  ASSERT_TRUE(go({"trace", "export", path(), "--npz", path("t.npz"), "--csv", path("t.csv")}));
  EXPECT_NE(out_.str().find("t.npz: 9 tensors"), std::string::npos) << out_.str();
  // 3 * (12 + 12 + 3)
  EXPECT_NE(out_.str().find("t.csv: 81 values of 9 tensors"), std::string::npos) << out_.str();
  EXPECT_EQ(go({"trace", "export", path(), "--npz", path("t.npz")}).error().kind,
            ErrorKind::kUsage);
  EXPECT_TRUE(go({"trace", "export", path(), "--npz", path("t.npz"), "--force"}));
}

TEST_F(TraceCommand, ACutTraceIsShownWithAWarning) {
  const Bytes whole = trace::file_bytes(folder_ / "t.mcap");
  trace::put_file(folder_ / "cut.mcap", ByteView(whole).sub(0, whole.size() - 100));
  ASSERT_TRUE(go({"trace", "info", path("cut.mcap")}));
  EXPECT_NE(out_.str().find("not finished"), std::string::npos);
  EXPECT_NE(err_.str().find("warning: the file has no footer"), std::string::npos);
  EXPECT_EQ(go({"trace", "info", path("absent")}).error().kind, ErrorKind::kNotFound);
}

TEST_F(TraceCommand, PackVerifyAndRecoverSayWhatTheyDid) {
  ASSERT_TRUE(go({"trace", "pack", path(), "-o", path("p.mcap"), "--compression", "zstd"}));
  EXPECT_NE(out_.str().find("times smaller), 12 messages"), std::string::npos) << out_.str();
  ASSERT_TRUE(go({"trace", "verify", path("p.mcap")}));
  EXPECT_NE(out_.str().find("every checksum is right"), std::string::npos) << out_.str();
  EXPECT_EQ(
      go({"trace", "pack", path(), "-o", path("p.mcap"), "--compression", "zstd"}).error().kind,
      ErrorKind::kUsage)
      << "it is there already";
  EXPECT_EQ(
      go({"trace", "pack", path(), "-o", path("q.mcap"), "--compression", "zip"}).error().kind,
      ErrorKind::kUsage);

  const Bytes whole = trace::file_bytes(path());
  trace::put_file(path("cut.mcap"), ByteView(whole).sub(0, whole.size() - 100));
  EXPECT_EQ(go({"trace", "verify", path("cut.mcap")}).error().kind, ErrorKind::kCorrupt);
  ASSERT_TRUE(go({"trace", "recover", path("cut.mcap")}));
  EXPECT_NE(out_.str().find("cut.recovered.mcap: 12 messages in 1 whole chunks"), std::string::npos)
      << out_.str();
  EXPECT_NE(out_.str().find("the recording was not finished"), std::string::npos) << out_.str();
  ASSERT_TRUE(go({"trace", "verify", path("cut.recovered.mcap")}));
}

TEST_F(TraceCommand, AFolderIsListed) {
  const Bytes whole = trace::file_bytes(path());
  trace::put_file(path("u.mcap"), ByteView(whole).sub(0, whole.size() - 10));
  trace::put_file(path("v.mcap"), {});
  ASSERT_TRUE(go({"trace", "info", folder_.path().string()}));
  EXPECT_NE(out_.str().find("  t.mcap\n"), std::string::npos) << out_.str();
  EXPECT_NE(out_.str().find("  u.mcap (not finished)\n"), std::string::npos) << out_.str();
  EXPECT_NE(err_.str().find("the file is empty"), std::string::npos) << err_.str();
  EXPECT_EQ(go({"trace", "info", folder_.path().string(), "--json"}).error().kind,
            ErrorKind::kUsage);
}

}  // namespace
}  // namespace edgeprobe::cli
