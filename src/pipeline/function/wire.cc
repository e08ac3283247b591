// SPDX-License-Identifier: Apache-2.0
#include "pipeline/function/wire.h"

#include <set>

#include "core/codec.h"
#include "core/text.h"

namespace edgeprobe::pipeline::function_wire {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "values of arrays are taken as they are in memory");

Error nonsense(const std::string& what) {
  return {ErrorKind::kCorrupt, "the pipeline process sent an invalid answer: " + what};
}

std::string text(ByteReader& in, std::size_t longest) {
  return std::string(in.sized<std::uint32_t>(longest).text());
}

Result<Tensor> parse_array(ByteReader& in) {
  Tensor tensor;
  tensor.spec.name = text(in, kMostName);
  const std::string dtype = text(in, 64);
  const auto rank = in.number<std::uint32_t>();
  if (!in.ok() || rank > kMostRank || tensor.spec.name.empty())
    return nonsense("the head of an array is damaged");
  for (std::uint32_t i = 0; i < rank; ++i) tensor.spec.shape.push_back(in.number<std::int64_t>());
  const auto size = in.number<std::uint64_t>();
  const auto known = dtype_from_name(dtype);
  const std::string who = "array '" + sanitized(tensor.spec.name, 60) + "'";
  if (!known || size_of(*known) == 0)
    return nonsense(who + " has the dtype '" + sanitized(dtype, 30) + "'");
  tensor.spec.dtype = *known;
  const auto expected = tensor.spec.byte_size();
  if (!expected || *expected != size)
    return nonsense(who + " has " + std::to_string(size) + " bytes, which do not fit its shape");
  const ByteView values = in.take(size);
  if (!in.ok()) return nonsense(who + " ends early");
  tensor.bytes = values.copy();
  return tensor;
}

}  // namespace

Result<Hello> parse_hello(ByteView body) {
  ByteReader in(body);
  const auto version = in.number<std::uint32_t>();
  const auto wants = in.number<std::uint8_t>();
  Hello hello{wants == 1, text(in, kMostName)};
  if (!in.at_end() || wants > 1) return nonsense("its greeting is damaged");
  if (version != kVersion)
    return Error{ErrorKind::kUnsupported,
                 "the pipeline process speaks version " + std::to_string(version) +
                     " of the protocol, expected " + std::to_string(kVersion) +
                     "; its files and this program are of different releases"};
  return hello;
}

Result<std::vector<Tensor>> parse_answer(ByteView body) {
  ByteReader in(body);
  const auto count = in.number<std::uint32_t>();
  if (!in.ok()) return nonsense("an answer is empty");
  if (count > kMostArrays)
    return Error{ErrorKind::kLimit, "it gave " + std::to_string(count) + " arrays, the limit is " +
                                        std::to_string(kMostArrays)};
  std::vector<Tensor> arrays;
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    EP_TRY(auto array, parse_array(in));
    if (!names.insert(array.spec.name).second)
      return nonsense("array '" + sanitized(array.spec.name, 60) + "' comes twice");
    arrays.push_back(std::move(array));
  }
  if (!in.at_end()) return nonsense("bytes follow the last array");
  return arrays;
}

Bytes sample_of_pixels(std::string_view name, int height, int width, int channels) {
  ByteWriter out;
  out.sized<std::uint32_t>(view_of(name));
  out.number(std::uint8_t{0});
  for (const int side : {height, width, channels}) out.number(static_cast<std::uint32_t>(side));
  return std::move(out).bytes();
}

Bytes sample_of_file(std::string_view name) {
  ByteWriter out;
  out.sized<std::uint32_t>(view_of(name));
  out.number(std::uint8_t{1});
  return std::move(out).bytes();
}

}  // namespace edgeprobe::pipeline::function_wire
