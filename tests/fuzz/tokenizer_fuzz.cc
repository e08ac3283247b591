// SPDX-License-Identifier: Apache-2.0
// Any bytes as what the process says that runs a tokenizer, and as a text.
#include <cstdint>
#include <cstdlib>

#include "pipeline/tokenizer/reply.h"
#include "text/utf8.h"

using namespace edgeprobe;
namespace wire = edgeprobe::pipeline::tokenizer_wire;

namespace {

template <class T>
void check(const Result<T>& read) {
  if (!read && read.error().what.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView body(reinterpret_cast<const std::byte*>(data), size);
  check(wire::parse_hello(body));
  check(wire::parse_words(body, 2));
  const auto said = wire::parse_text(body);
  check(said);
  if (said && text::first_bad_byte(*said)) std::abort();
  if (const auto bad = text::first_bad_byte(body.text()); bad && *bad >= size) std::abort();
  const auto tokens = wire::parse_tokens(body, {1, 2});
  check(tokens);
  if (!tokens) return 0;
  if (tokens->size() != 2 || (*tokens)[0].size() != 1 || (*tokens)[1].size() != 2) std::abort();
  for (const auto& sample : *tokens)
    for (const auto& ids : sample)
      for (const std::int64_t id : ids)
        if (id < 0 || id >= std::int64_t{1} << 31) std::abort();
  return 0;
}
