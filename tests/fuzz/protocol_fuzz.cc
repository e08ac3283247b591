// SPDX-License-Identifier: Apache-2.0
// Any bytes as the stream of a peer, in any cuts: the same messages as in one piece, and the same
// bytes when they are written again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "protocol/io_spec.h"
#include "protocol/logs.h"
#include "protocol/message_reader.h"
#include "protocol/reply.h"
#include "protocol/serial.h"

using namespace edgeprobe;
using namespace edgeprobe::protocol;

namespace {

constexpr std::uint64_t kLongest = 1 << 16;

void look_into(const Message& message, Generation generation) {
  const ByteView payload = message.bytes();
  if (payload.size != message.header.payload) std::abort();
  if (const auto spec = io_spec_from_json(payload.text()))
    if (const auto again = io_spec_from_json(to_json(*spec)); !again) std::abort();
  if (const auto spec = io_spec_from_serial(payload, generation))
    (void)io_spec_to_serial(*spec, generation);
  (void)figures_from_serial(payload, generation);
  (void)read_logs(payload);
  (void)read_answer(message, Type::kOutput, generation);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Generation generation = all_generations()[data[0] % all_generations().size()];
  const std::size_t piece = 1 + data[1];
  const ByteView stream(reinterpret_cast<const std::byte*>(data) + 2, size - 2);
  (void)generation_before_greeting(stream);
  (void)generation_after_greeting(stream);

  MessageReader whole(generation, kLongest), cut(generation, kLongest);
  const auto all = whole.push(stream);
  std::vector<Message> pieces;
  bool failed = false;
  for (std::size_t at = 0; at < stream.size && !failed; at += piece) {
    auto some = cut.push(stream.sub(at, std::min(piece, stream.size - at)));
    failed = !some;
    if (some)
      for (Message& message : *some) pieces.push_back(std::move(message));
  }
  if (failed == all.has_value()) std::abort();
  if (!all) return 0;
  if (all->size() != pieces.size()) std::abort();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!((*all)[i].header == pieces[i].header) || (*all)[i].payload != pieces[i].payload)
      std::abort();
    look_into(pieces[i], generation);
  }
  return 0;
}
