// SPDX-License-Identifier: Apache-2.0
// The official Python packages against ours, both ways.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "core/file.h"
#include "support.h"
#include "trace/channel_text.h"

namespace edgeprobe::trace {
namespace {

class Python : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_python())
      GTEST_SKIP() << "no Python at " << TRACE_TEST_PYTHON << " (script/setup makes it)";
  }
  Folder folder_;
};

std::multiset<std::string> lines(const std::string& text) {
  std::multiset<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.insert(line);
  return all;
}

TEST_F(Python, TheOfficialReaderOpensEveryKindOfFileThatWeWrite) {
  struct Kind {
    std::size_t ring, chunk;
    std::uint32_t frames;
  };
  for (const Kind& kind : {Kind{16u << 20, 2u << 20, 50}, Kind{4096, 600, 50}, Kind{4096, 600, 1},
                           Kind{16u << 20, 2u << 20, 0}}) {
    const auto path =
        folder_ / ("t" + std::to_string(kind.chunk) + "-" + std::to_string(kind.frames));
    WriterOptions options;
    options.ring_bytes = kind.ring;
    options.chunk_bytes = kind.chunk;
    std::multiset<std::string> expected;
    {
      auto writer = Writer::open(path, options);
      ASSERT_TRUE(writer);
      const std::vector<Channel> channels{byte_channel(Stage::kRawInput, "größe 50%\x1b", 100),
                                          float_channel(Stage::kLayer, "a/b", {1, 5, 5, 3}),
                                          // larger than the small ring
                                          byte_channel(Stage::kLayer, "large", 10000)};
      std::vector<ChannelId> ids;
      for (const Channel& channel : channels) ids.push_back(*writer->add_channel(channel));
      ASSERT_TRUE(writer->metadata("edgeprobe.run", {{"model", "m.tflite"}, {"note", "größe"}}));
      for (std::uint32_t frame = 0; frame < kind.frames; ++frame) {
        const std::uint64_t time = 1'700'000'000'000'000'000ull + frame;
        for (std::size_t i = 0; i < channels.size(); ++i) {
          const Bytes data = noise(*channels[i].spec.byte_size(), frame * 7 + i);
          ASSERT_TRUE(writer->write(ids[i], frame, time, data));
          expected.insert(topic_of(channels[i]) + " " + std::to_string(frame) + " " +
                          std::to_string(time) + " " + std::to_string(time) + " " + sha256(data));
        }
        ASSERT_TRUE(writer->frame({frame, time, "s", "", 3, {}}));
        expected.insert("/frame " + std::to_string(frame) + " " + std::to_string(time) + " " +
                        std::to_string(time) + " " +
                        sha256(view_of(R"({"label":3,"sample":"s"})")));
      }
      ASSERT_TRUE(writer->close());
    }
    const auto [code, output] = run_python("read_with_mcap.py", {path.string()});
    ASSERT_EQ(code, 0) << output;
    // The topic with a space would need quoting; the test compares whole lines.
    EXPECT_EQ(lines(output), expected);
  }
}

TEST_F(Python, WhatTheOfficialWriterWritesFromTheDocumentIsRead) {
  for (const std::string compression : {"none", "zstd", "lz4"})
    for (const std::string layout : {"chunked", "loose"}) {
      const auto path = folder_ / (compression + layout + ".mcap");
      const auto [code, output] =
          run_python("write_with_mcap.py", {path.string(), compression, layout});
      ASSERT_EQ(code, 0) << output;
      const auto reader = Reader::open(path);
      ASSERT_TRUE(reader) << reader.error().what;
      EXPECT_TRUE(reader->problems().empty()) << reader->problems().front();
      const auto found = read_everything(*reader);
      ASSERT_TRUE(found) << found.error().what;
      std::multiset<std::string> ours;
      for (const auto& [key, sum] : found->tensors) {
        std::string line = key;
        *std::find(line.begin(), line.end(), '#') = ' ';
        *std::find(line.begin(), line.end(), '@') = ' ';
        ours.insert(line + " " + sum);
      }
      EXPECT_EQ(ours, lines(output)) << compression << layout;
      ASSERT_EQ(reader->channels().size(), 5u);
      for (const ReadChannel& c : reader->channels()) {
        if (c.channel.stage == Stage::kModelInput) {
          EXPECT_EQ(c.channel.spec.quantization, (Quantization{{1.f / 128}, {-1}, 0}));
          EXPECT_EQ(c.channel.extra.at("owner"), "somebody");
        }
        if (c.channel.stage == Stage::kLayer) {
          EXPECT_EQ(c.channel.spec.name, "net/50% conv");
          EXPECT_EQ(c.channel.spec.quantization, (Quantization{{0.5f, 0.25f}, {0}, 3}));
          EXPECT_EQ(c.channel.position, 4);
          EXPECT_EQ(c.channel.tensor, 17);
          EXPECT_EQ(c.channel.layer_type, "CONV_2D");
        }
      }
      ASSERT_EQ(reader->frames().size(), 40u);
      EXPECT_EQ(reader->frames()[2], 6u);
      EXPECT_EQ(reader->records()[2].sample, "cat/0002.png");
      EXPECT_EQ(reader->records()[2].label, 2);
      EXPECT_EQ(reader->records()[2].latency_ns, 1234);
      EXPECT_EQ(reader->metadata().at("edgeprobe.run").at("model"), "net.tflite");
    }
}

}  // namespace
}  // namespace edgeprobe::trace
