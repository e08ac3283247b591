// SPDX-License-Identifier: Apache-2.0
#include "protocol/reply.h"

namespace edgeprobe::protocol {
namespace {

/// The byte that identifies a request in its reply; 0 for requests whose reply is empty.
std::uint8_t action_of(Type request) {
  switch (request) {
    case Type::kIoSpec: return 2;
    case Type::kModel: return 3;
    case Type::kUnoptimizedModel: return 4;
    case Type::kData: return 5;
    case Type::kProcess: return 6;
    case Type::kOutput: return 7;
    case Type::kStatistics: return 8;
    case Type::kOptimizeModel: return 9;
    case Type::kOptimizers: return 10;
    case Type::kRuntime: return 11;
    default: return 0;
  }
}

bool is_answered_with_data(Type request) {
  return request == Type::kOutput || request == Type::kStatistics ||
         request == Type::kOptimizeModel;
}

}  // namespace

Outgoing request(Type type, ByteView payload) {
  Outgoing out;
  out.type = type;
  out.payload = payload;
  return out;
}

Outgoing ping(std::uint16_t flags) {
  Outgoing out = request(Type::kPing);
  out.flags = flags;
  return out;
}

Reply Reply::success(Type request, Generation generation, ByteView data) {
  Reply reply;
  reply.message_.payload = data;
  if (is_plain(generation)) {
    reply.message_.type = Type::kOk;
    return reply;
  }
  reply.message_.type = request;
  reply.message_.flow = Flow::kTransmission;
  reply.message_.flags = flag::kSuccess | flag::kKenning;
  reply.has_action_ = !is_answered_with_data(request) && action_of(request) != 0;
  reply.action_ = std::byte{action_of(request)};
  return reply;
}

Reply Reply::failure(const Header& request, Generation generation) {
  Reply reply;
  if (is_plain(generation)) {
    reply.message_.type = Type::kError;
    return reply;
  }
  reply.message_.type = request.type;
  reply.message_.number = request.number;
  reply.message_.flow = Flow::kTransmission;
  reply.message_.flags = flag::kFail | flag::kKenning;
  reply.has_action_ = action_of(request.type) != 0;
  reply.action_ = std::byte{action_of(request.type)};
  return reply;
}

Reply Reply::extension(ByteView payload, bool failed) {
  Reply reply;
  reply.message_.type = Type::kExtension;
  reply.message_.flow = Flow::kTransmission;
  reply.message_.flags = failed ? flag::kFail : flag::kSuccess;
  reply.message_.payload = payload;
  return reply;
}

std::optional<Answer> read_answer(const Message& message, Type request, Generation generation) {
  const Header& header = message.header;
  if (is_plain(generation)) {
    if (header.type != Type::kOk && header.type != Type::kError) return std::nullopt;
    return Answer{header.type == Type::kOk, message.bytes(), true};
  }
  if (header.type != request) return std::nullopt;
  if (header.flow != Flow::kTransmission && header.flow != Flow::kAcknowledge) return std::nullopt;
  if (!header.has(flag::kSuccess | flag::kFail)) return std::nullopt;
  Answer answer{header.has(flag::kSuccess) && !header.has(flag::kFail), message.bytes(), true};
  // Zephyr omits the payload.
  if (answer.ok && !is_answered_with_data(request) && !answer.data.empty())
    answer.is_of_request =
        answer.data.size == 1 && answer.data.data[0] == std::byte{action_of(request)};
  if (!answer.ok || !is_answered_with_data(request)) answer.data = {};
  return answer;
}

}  // namespace edgeprobe::protocol
