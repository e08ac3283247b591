// SPDX-License-Identifier: Apache-2.0
// Messages of every generation as the bytes that real peers of Kenning sent.
#include <gtest/gtest.h>

#include "bytes.h"
#include "protocol/logs.h"
#include "protocol/message_reader.h"
#include "protocol/reply.h"

namespace edgeprobe::protocol::testing {
namespace {

constexpr std::uint64_t kLongest = std::uint64_t{1} << 30;

std::string hex(const Outgoing& message, const Writing& writing) {
  const auto bytes = to_bytes(message, writing);
  return bytes ? to_hex(*bytes) : bytes.error().what;
}

TEST(Golden, RequestsAreWrittenAsRealClientsWriteThem) {
  const Bytes two = from_hex("aa bb");
  EXPECT_EQ(hex(request(Type::kProcess), {Generation::kG1}), "020000000400");
  EXPECT_EQ(hex(request(Type::kData, two), {Generation::kG2}), "040000000200aabb");
  EXPECT_EQ(hex(request(Type::kProcess), {Generation::kG3}), "0400300000000000");
  EXPECT_EQ(hex(request(Type::kOutput), {Generation::kG4}), "050000000000300000000000");
  EXPECT_EQ(hex(request(Type::kData, two), {Generation::kG4}), "020000000000380002000000aabb");
  EXPECT_EQ(hex(request(Type::kOptimizeModel), {Generation::kG2}), "020000000900");
  EXPECT_EQ(hex(request(Type::kOptimizeModel), {Generation::kG3}), "0900300000000000");
  EXPECT_EQ(hex(request(Type::kOptimizeModel), {Generation::kG4}), "0a0000000000300000000000");
}

TEST(Golden, RepliesAreWrittenAsRealServersWriteThem) {
  const Bytes data = from_hex("01 02 03");
  const auto success = [&](Type type, Generation generation, ByteView of = {}) {
    const Reply reply = Reply::success(type, generation, of);
    return hex(reply.message(), {generation});
  };
  const auto failure = [&](Type type, Generation generation) {
    Header request;
    request.type = type;
    const Reply reply = Reply::failure(request, generation);
    return hex(reply.message(), {generation});
  };
  EXPECT_EQ(success(Type::kModel, Generation::kG1), "020000000000");
  EXPECT_EQ(success(Type::kOutput, Generation::kG2, data), "050000000000010203");
  EXPECT_EQ(failure(Type::kData, Generation::kG2), "020000000100");
  EXPECT_EQ(success(Type::kIoSpec, Generation::kG4),
            "07000000c0007900"
            "01000000"
            "02");
  EXPECT_EQ(success(Type::kModel, Generation::kG4),
            "03000000c0007900"
            "01000000"
            "03");
  EXPECT_EQ(success(Type::kData, Generation::kG4),
            "02000000c0007900"
            "01000000"
            "05");
  EXPECT_EQ(success(Type::kProcess, Generation::kG4),
            "04000000c0007900"
            "01000000"
            "06");
  EXPECT_EQ(success(Type::kOutput, Generation::kG4, data),
            "05000000c0007900"
            "03000000"
            "010203");
  EXPECT_EQ(success(Type::kOptimizers, Generation::kG3),
            "c8007900"
            "01000000"
            "0a");
  EXPECT_EQ(success(Type::kUnoptimizedModel, Generation::kG3),
            "cb007900"
            "01000000"
            "04");
  EXPECT_EQ(failure(Type::kOptimizeModel, Generation::kG4),
            "0a000000c0007a00"
            "01000000"
            "09");
  EXPECT_EQ(failure(Type::kOutput, Generation::kG4),
            "05000000c0007a00"
            "01000000"
            "07");
}

TEST(Golden, ARequestOfAnUnknownTypeFailsUnderItsNumber) {
  Header request;
  request.number = 42;
  const Reply reply = Reply::failure(request, Generation::kG4);
  EXPECT_EQ(hex(reply.message(), {Generation::kG4}),
            "2a000000c0007200"
            "00000000");
}

TEST(Golden, SerialPartsCarryKenningsChecksum) {
  // The PING that connects, and its acknowledgement: uart-good of g3.
  Outgoing ping = request(Type::kPing);
  ping.flags = flag::kSuccess;
  EXPECT_EQ(hex(ping, {Generation::kG3, 136, true}), "007a310000000000");
  EXPECT_EQ(hex(request(Type::kProcess), {Generation::kG4, 136, true}), "04000000007f300000000000");
}

TEST(Golden, LongMessagesGoInParts) {
  const Bytes payload(300);
  const auto parts = parts_of(request(Type::kData, payload), {Generation::kG3, 136});
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ(to_hex((*parts)[0].header), "0200180080000000");
  EXPECT_EQ(to_hex((*parts)[1].header), "0200080080000000");
  EXPECT_EQ(to_hex((*parts)[2].header), "020028002c000000");
  const Reply reply = Reply::success(Type::kOutput, Generation::kG3, payload);
  const auto answer = parts_of(reply.message(), {Generation::kG3, 136});
  ASSERT_TRUE(answer);
  EXPECT_EQ(to_hex((*answer)[0].header), "c500590080000000");
  EXPECT_EQ(to_hex((*answer)[1].header), "c500490080000000");
  EXPECT_EQ(to_hex((*answer)[2].header), "c50069002c000000");
}

TEST(Golden, TheGenerationIsToldByTheFirstBytes) {
  const auto before = [](const char* text) { return generation_before_greeting(from_hex(text)); };
  const auto after = [](const char* text) { return generation_after_greeting(from_hex(text)); };
  EXPECT_FALSE(before("30 01 00"));
  EXPECT_EQ(before("30 01 00 00 07 00"), Generation::kG2);
  EXPECT_EQ(before("45 50 52 42 00"), Generation::kG4);
  EXPECT_EQ(after("07 00 38 00"), Generation::kG3);
  EXPECT_EQ(after("06 00 30 00"), Generation::kG3);
  EXPECT_EQ(after("07 00 00 00"), Generation::kG4);
  EXPECT_EQ(after("45 50 52 42"), Generation::kG4);
  EXPECT_FALSE(after("07 00 00"));
}

TEST(Golden, AnExtensionHasAFrameThatKenningPassesOver) {
  const Bytes payload = from_hex("01 00 00 00 01 00 00 00");
  EXPECT_EQ(hex(request(Type::kExtension, payload), {Generation::kG4}),
            "4550524200003800"
            "08000000"
            "0100000001000000");
  for (const Generation generation : all_generations())
    EXPECT_EQ(to_bytes(request(Type::kExtension, payload), {generation}).has_value(),
              generation == Generation::kG4)
        << name(generation);
}

TEST(Golden, AnswersAreToldFromLogsAndFromAnswersToOthers) {
  const auto answer = [](const char* bytes, Type type, Generation generation) {
    MessageReader reader(generation, kLongest);
    auto messages = reader.push(from_hex(bytes));
    EXPECT_TRUE(messages && messages->size() == 1) << bytes;
    const auto read = read_answer(messages->at(0), type, generation);
    return !read ? std::string("none") : (read->ok ? "ok " : "failed ") + to_hex(read->data);
  };
  using enum Generation;
  EXPECT_EQ(answer("05000000c0007900 02000000 aabb", Type::kOutput, kG4), "ok aabb");
  EXPECT_EQ(answer("05000000c0007a00 01000000 07", Type::kOutput, kG4), "failed ");
  EXPECT_EQ(answer("02000000c0007900 01000000 05", Type::kData, kG4), "ok ");
  EXPECT_EQ(answer("02000000c000b100 00000000", Type::kData, kG4), "ok ");  // A Zephyr device.
  EXPECT_EQ(answer("0d000000c0007800 02000000 0141", Type::kData, kG4), "none");
  EXPECT_EQ(answer("02000000c0007900 01000000 05", Type::kModel, kG4), "none");
  EXPECT_EQ(answer("020000000000", Type::kModel, kG2), "ok ");
  EXPECT_EQ(answer("020000000100", Type::kModel, kG2), "failed ");
  EXPECT_EQ(answer("040000000000 aabb", Type::kOutput, kG2), "ok aabb");
}

TEST(Golden, LogsAreEntriesWithALength) {
  EXPECT_EQ(to_hex(write_logs("ab")), "026162");
  EXPECT_EQ(write_logs(std::string(600, 'x')).size(), 603u);
  EXPECT_EQ(to_hex(write_logs("\xc3\xa4")), "023f3f");
  EXPECT_EQ(read_logs(from_hex("02 61 62 01 63")), (std::vector<std::string>{"ab", "c"}));
  // Kenning's own long entry, and a truncated one.
  Bytes longest(257, std::byte{'y'});
  longest[0] = std::byte{255};
  EXPECT_EQ(read_logs(longest), std::vector<std::string>{std::string(256, 'y')});
  EXPECT_EQ(read_logs(from_hex("05 61 62")), std::vector<std::string>{"ab"});
  EXPECT_EQ(read_logs({}), std::vector<std::string>{});
}

}  // namespace
}  // namespace edgeprobe::protocol::testing
