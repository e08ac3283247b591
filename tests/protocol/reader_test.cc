// SPDX-License-Identifier: Apache-2.0
// The stream of a peer that nobody vouches for: limits, parts that do not fit, memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "bytes.h"
#include "protocol/message_reader.h"
#include "protocol/parts.h"
#include "protocol/reply.h"

namespace edgeprobe::protocol::testing {
namespace {

std::string failure_of(MessageReader& reader, const char* bytes) {
  const auto messages = reader.push(from_hex(bytes));
  return messages ? "none" : messages.error().what;
}

TEST(Reader, RefusesALengthBeyondTheLimitBeforeThePayload) {
  MessageReader reader(Generation::kG4, 1000);
  EXPECT_EQ(failure_of(reader, "02000000 00003800 ffffff7f"),
            "DATA of 2147483647 bytes is longer than the limit of 1000");
  EXPECT_EQ(reader.last_header().type, Type::kData);
}

TEST(Reader, GrowsWithWhatArrivesNotWithWhatIsClaimed) {
  MessageReader reader(Generation::kG2, std::uint64_t{1} << 32);
  ASSERT_TRUE(reader.push(from_hex("ffffff7f 0200 0102030405")));
  EXPECT_LE(reader.space().size, std::size_t{64} << 10);
}

TEST(Reader, RefusesASizeThatHasNoRoomForItsType) {
  MessageReader reader(Generation::kG1, 1000);
  EXPECT_EQ(failure_of(reader, "01000000 0200"),
            "a message says that it has 1 bytes; its type alone takes 2");
}

TEST(Reader, RefusesPartsThatDoNotBelongTogether) {
  MessageReader without(Generation::kG3, 1000);
  EXPECT_EQ(failure_of(without, "02000800 01000000 aa"), "a part of DATA has no first part");
  MessageReader twice(Generation::kG3, 1000);
  EXPECT_EQ(failure_of(twice, "02001800 01000000 aa 02001800 01000000 bb"),
            "DATA begins again before its last part has come");
  MessageReader mixed(Generation::kG3, 1000);
  EXPECT_EQ(failure_of(mixed,
                       "02001800 00000000 03001800 00000000 04001800 00000000 05001800 00000000"
                       "06001800 00000000"),
            "parts of more than 4 messages are mixed");
  MessageReader together(Generation::kG3, 3);
  EXPECT_EQ(failure_of(together, "02001800 02000000 aabb 02002800 02000000 ccdd"),
            "DATA of 4 bytes is longer than the limit of 3");
}

TEST(Reader, JoinsPartsAmongWhichLogsCome) {
  MessageReader reader(Generation::kG3, 1000);
  const auto messages =
      reader.push(from_hex("c5005900 02000000 aabb cc007800 02000000 0141 c5006900 01000000 cc"));
  ASSERT_TRUE(messages) << messages.error().what;
  ASSERT_EQ(messages->size(), 2u);
  EXPECT_EQ((*messages)[0].header.type, Type::kLogs);
  EXPECT_EQ((*messages)[1].header.type, Type::kOutput);
  EXPECT_EQ(to_hex((*messages)[1].bytes()), "aabbcc");
  EXPECT_TRUE(reader.is_idle());
}

TEST(Reader, PutsAPayloadWhereItsOwnerWantsIt) {
  std::byte memory[4] = {};
  MessageReader reader(Generation::kG4, 1000, [&](const Header& header) {
    return header.type == Type::kData && header.payload == sizeof memory ? memory : nullptr;
  });
  const auto messages =
      reader.push(from_hex("020000000000380004000000 01020304"
                           "030000000000380002000000 0506"));
  ASSERT_TRUE(messages);
  ASSERT_EQ(messages->size(), 2u);
  EXPECT_EQ((*messages)[0].placed, memory);
  EXPECT_TRUE((*messages)[0].payload.empty());
  EXPECT_EQ(to_hex((*messages)[0].bytes()), "01020304");
  EXPECT_EQ(to_hex((*messages)[1].payload), "0506");
}

TEST(Reader, UsesMemoryAgainForLongerAndShorterPayloads) {
  MessageReader reader(Generation::kG4, 1 << 20);
  const std::byte* last = nullptr;
  std::size_t room = 0;
  for (const std::size_t size : {200'000, 70'000, 3, 0, 150'000, 300'000, 300'000}) {
    Bytes payload(size);
    for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<std::byte>(i * 7 + size);
    auto messages = reader.push(to_bytes(request(Type::kModel, payload), {}).value());
    ASSERT_TRUE(messages) << messages.error().what;
    ASSERT_EQ(messages->size(), 1u);
    EXPECT_EQ(messages->at(0).payload, payload);
    EXPECT_EQ(messages->at(0).payload.data() == last, size <= room) << size;
    room = std::max(room, size);
    last = messages->at(0).payload.data();
    reader.reuse(std::move(messages->at(0).payload));
    EXPECT_TRUE(reader.is_idle());
  }
}

TEST(Reader, TellsAWrongChecksumAndReadsOn) {
  MessageReader reader(Generation::kG3, 1000);
  const auto messages = reader.push(from_hex("047f3000 00000000 047e3000 00000000"));
  ASSERT_TRUE(messages);
  ASSERT_EQ(messages->size(), 2u);
  EXPECT_TRUE((*messages)[0].checksum_right);
  EXPECT_FALSE((*messages)[1].checksum_right);
}

TEST(Reader, ReadsBackWhatIsWrittenInPartsOfAnySize) {
  Bytes payload(1000);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(i * 7);
  for (const Generation generation : all_generations())
    for (const std::size_t longest : {1u, 13u, 14u, 136u, 1011u, 1012u, 5000u})
      for (const bool checksum : {false, true}) {
        const auto bytes =
            to_bytes(request(Type::kModel, payload), {generation, longest, checksum});
        ASSERT_TRUE(bytes);
        MessageReader reader(generation, payload.size());
        const auto messages = reader.push(*bytes);
        ASSERT_TRUE(messages) << messages.error().what;
        ASSERT_EQ(messages->size(), 1u);
        EXPECT_EQ(messages->at(0).header.type, Type::kModel);
        EXPECT_EQ(messages->at(0).header.payload, payload.size());
        EXPECT_EQ(messages->at(0).payload, payload);
        EXPECT_TRUE(messages->at(0).checksum_right);
      }
}

TEST(Reader, KeepsTheNumberOfATypeThatItDoesNotKnow) {
  MessageReader reader(Generation::kG4, 1000);
  const auto messages = reader.push(from_hex("2a00000000003000 00000000"));
  ASSERT_TRUE(messages);
  EXPECT_EQ(messages->at(0).header.type, Type::kUnknown);
  EXPECT_EQ(messages->at(0).header.number, 42u);
}

}  // namespace
}  // namespace edgeprobe::protocol::testing
