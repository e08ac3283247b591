// SPDX-License-Identifier: Apache-2.0
// Any bytes as the message of an answer: refused with a sentence, or the same again when it is
// written and read; as text and as JSON.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "trace/answer.h"
#include "trace/read/answer_text.h"

using namespace edgeprobe;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView message(reinterpret_cast<const std::byte*>(data), size);
  require(nlohmann::json::accept(trace::answer_json(message)));
  require(!trace::answer_line(message).empty());
  const auto answer = trace::decode_answer(message);
  if (!answer) {
    require(!answer.error().what.empty());
    return 0;
  }
  // Compares bytes: a NaN does not equal itself.
  const Bytes written = trace::encode(*answer);
  const auto again = trace::decode_answer(written);
  require(again && trace::encode(*again) == written);
  require(!trace::to_text(*answer, 0).empty());
  return 0;
}
