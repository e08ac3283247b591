// SPDX-License-Identifier: Apache-2.0
// The recorded sessions of real peers: every cut of their bytes gives the same messages, and what a
// real peer wrote is written again to the byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "bytes.h"
#include "protocol/io_spec.h"
#include "protocol/message_reader.h"
#include "protocol/parts.h"
#include "protocol/serial.h"
#include "source_dir.h"

namespace edgeprobe::protocol::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongest = std::uint64_t{1} << 30;

fs::path recordings() {
  if (const char* given = std::getenv("EDGEPROBE_SHARED_DATA")) return fs::path(given) / "protocol";
  return fs::path(test::source_dir()).parent_path() / "shared" / "data" / "protocol";
}

/// One direction of one connection.
struct Recorded {
  std::string file, direction;
  Generation generation = Generation::kG4;
  bool is_serial = false, is_real = false;
  std::vector<Bytes> reads;

  Bytes all() const {
    Bytes bytes;
    for (const Bytes& read : reads) bytes.insert(bytes.end(), read.begin(), read.end());
    return bytes;
  }
};

Generation generation_of(const std::string& text) {
  if (text.starts_with("g1")) return Generation::kG1;
  if (text.starts_with("g2")) return Generation::kG2;
  return generation_from_name(text).value();
}

std::vector<Recorded> read_recordings() {
  std::vector<Recorded> all;
  for (const auto& entry : fs::recursive_directory_iterator(recordings())) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    std::string line;
    std::getline(file, line);
    const auto head = nlohmann::json::parse(line);
    std::map<std::pair<int, std::string>, Recorded> streams;
    while (std::getline(file, line)) {
      const auto event = nlohmann::json::parse(line);
      if (!event.contains("hex")) continue;
      const std::string direction = event["dir"];
      Recorded& stream = streams[{event["conn"].get<int>(), direction}];
      stream.file = entry.path().parent_path().filename() / entry.path().filename();
      stream.direction = direction;
      stream.generation = generation_of(head["generation"]);
      stream.is_serial = head["transport"] == "uart";
      const std::string real = head["real"];
      stream.is_real = real == "both" || (real == "client") == (direction == "c2s");
      stream.reads.push_back(from_hex(event["hex"].get<std::string>()));
    }
    for (auto& [key, stream] : streams) {
      // A server greets before its first message.
      Bytes& first = stream.reads.front();
      const bool greets = !stream.is_serial && !greeting(stream.generation).empty();
      const bool greeted =
          greets && key.second == "s2c" && first.size() == 1 && first[0] == std::byte{0};
      if (greeted) stream.reads.erase(stream.reads.begin());
      if (!stream.reads.empty()) all.push_back(std::move(stream));
    }
  }
  return all;
}

/// The contents of a stream: its messages, and the sentence that ended it.
struct Read {
  std::vector<std::string> messages;
  std::string error;
  bool idle = false;
  bool operator==(const Read&) const = default;
};

Read read_in(const std::vector<ByteView>& pieces, Generation generation) {
  Read read;
  MessageReader reader(generation, kLongest);
  for (ByteView piece : pieces)
    while (!piece.empty()) {
      const Space space = reader.space();
      const std::size_t size = std::min(space.size, piece.size);
      std::memcpy(space.at, piece.data, size);
      piece = piece.sub(size, piece.size - size);
      reader.advance(size);
      while (true) {
        const auto message = reader.next();
        if (!message) {
          read.error = message.error().what;
          return read;
        }
        if (!*message) break;
        const Header& header = (*message)->header;
        read.messages.push_back(
            std::to_string(header.number) + " " + std::to_string(static_cast<int>(header.flow)) +
            " " + std::to_string(header.flags) + " " + std::to_string((*message)->checksum_right) +
            " " + to_hex((*message)->bytes()));
      }
    }
  read.idle = reader.is_idle();
  return read;
}

#define RECORDINGS_OR_SKIP(name)                                                          \
  if (!fs::exists(recordings())) GTEST_SKIP() << "no recordings (EDGEPROBE_SHARED_DATA)"; \
  const std::vector<Recorded> name = read_recordings()

TEST(Recorded, EveryCutGivesTheSameMessages) {
  RECORDINGS_OR_SKIP(streams);
  ASSERT_GE(streams.size(), 500u);
  std::mt19937 random(7);
  std::size_t messages = 0, unfinished = 0;
  for (const Recorded& stream : streams) {
    SCOPED_TRACE(stream.file + " " + stream.direction);
    const Bytes all = stream.all();
    const Read whole = read_in(std::vector<ByteView>{all}, stream.generation);
    const auto cut = [&](auto size) {
      std::vector<ByteView> pieces;
      for (std::size_t at = 0; at < all.size();) {
        const std::size_t length = std::min<std::size_t>(size(), all.size() - at);
        pieces.push_back({all.data() + at, length});
        at += length;
      }
      return pieces;
    };
    EXPECT_EQ(whole, read_in(cut([] { return 1; }), stream.generation));
    EXPECT_EQ(whole, read_in({stream.reads.begin(), stream.reads.end()}, stream.generation));
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(whole, read_in(cut([&] { return 1 + random() % 700; }), stream.generation));
    messages += whole.messages.size();
    unfinished += !whole.idle;
  }
  EXPECT_GE(messages, 3000u);
  // Peers that were killed, and wrong lengths.
  EXPECT_LE(unfinished, 40u);
  RecordProperty("messages", static_cast<int>(messages));
}

TEST(Recorded, WhatARealPeerWroteIsWrittenAgainToTheByte) {
  RECORDINGS_OR_SKIP(streams);
  std::size_t same = 0;
  for (const Recorded& stream : streams) {
    if (!stream.is_real) continue;
    SCOPED_TRACE(stream.file + " " + stream.direction);
    const Bytes all = stream.all();
    MessageReader reader(stream.generation, kLongest);
    const auto messages = reader.push(all);
    // Killed peers, and peers that were recorded with a stand-in of another generation.
    if (!messages || !reader.is_idle()) continue;
    Writing writing;
    writing.generation = stream.generation;
    writing.checksum = stream.is_serial || stream.file.find("good-checksum") != std::string::npos;
    if (stream.is_serial) writing.longest_part = 136;
    if (stream.file.find("split") != std::string::npos) writing.longest_part = 256;
    if (is_plain(stream.generation)) writing.checksum = false;
    Bytes written;
    for (const Message& message : *messages) {
      if (message.header.type == Type::kUnknown) break;
      Outgoing out{message.header.type, message.header.flow, message.header.flags, message.bytes()};
      // parts_of() sets these.
      out.flags &= static_cast<std::uint16_t>(~(flag::kFirst | flag::kLast | flag::kHasPayload));
      const auto bytes = to_bytes(out, writing);
      ASSERT_TRUE(bytes) << bytes.error().what;
      written.insert(written.end(), bytes->begin(), bytes->end());
    }
    if (written.size() != all.size()) continue;  // An unknown type, or parts written by hand.
    EXPECT_EQ(to_hex(written), to_hex(all));
    same += written == all;
  }
  EXPECT_GE(same, 250u);
  RecordProperty("same", static_cast<int>(same));
}

TEST(Recorded, SpecificationsOfRealClientsAreRead) {
  RECORDINGS_OR_SKIP(streams);
  std::size_t json = 0, serial = 0;
  for (const Recorded& stream : streams) {
    if (!stream.is_real || stream.direction != "c2s") continue;
    MessageReader reader(stream.generation, kLongest);
    const auto messages = reader.push(stream.all());
    if (!messages) continue;
    for (const Message& message : *messages) {
      if (message.header.type != Type::kIoSpec) continue;
      SCOPED_TRACE(stream.file);
      if (!stream.is_serial) {
        const auto spec = io_spec_from_json(message.bytes().text());
        EXPECT_TRUE(spec) << spec.error().what;
        ++json;
        continue;
      }
      const auto spec = io_spec_from_serial(message.bytes(), stream.generation);
      ASSERT_TRUE(spec) << spec.error().what;
      EXPECT_EQ(spec->inputs.at(0).spec.shape, (Shape{1, 8, 8, 3}));
      EXPECT_EQ(spec->inputs[0].spec.dtype, DType::kFloat32);
      // The library writes what the client wrote.
      const auto again = io_spec_to_serial(*spec, stream.generation);
      ASSERT_TRUE(again) << again.error().what;
      EXPECT_EQ(to_hex(*again), to_hex(message.bytes()));
      ++serial;
    }
  }
  EXPECT_GE(json, 50u);
  EXPECT_GE(serial, 5u);
}

}  // namespace
}  // namespace edgeprobe::protocol::testing
