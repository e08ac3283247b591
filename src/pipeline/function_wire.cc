#include "pipeline/function_wire.h"

#include <cstring>
#include <set>

#include "core/text.h"

namespace edgeprobe::pipeline::function_wire {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "messages are copied as they lie in memory");

Error nonsense(const std::string& what) { return {Fault::kCorrupt, "the pipeline process answered nonsense: " + what}; }

// Reads from the front; after a failure every value is empty.
class Cursor {
 public:
  explicit Cursor(ByteView bytes) : rest_(bytes) {}
  bool good() const { return good_; }
  bool at_end() const { return good_ && rest_.empty(); }

  template <class T>
  T number() {
    T value{};
    const ByteView bytes = take(sizeof value);
    if (good_) std::memcpy(&value, bytes.data, sizeof value);
    return value;
  }
  std::string text(std::size_t longest) {
    const auto length = number<std::uint32_t>();
    if (length > longest) good_ = false;
    return std::string(take(length).text());
  }
  ByteView take(std::uint64_t size) {
    if (!good_ || size > rest_.size) {
      good_ = false;
      return {};
    }
    const ByteView front = rest_.sub(0, size);
    rest_ = rest_.sub(size, rest_.size - size);
    return front;
  }

 private:
  ByteView rest_;
  bool good_ = true;
};

void append(Bytes& to, const void* from, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(from);
  to.insert(to.end(), first, first + size);
}

void append_number(Bytes& to, std::uint32_t value) { append(to, &value, sizeof value); }

void append_name(Bytes& to, std::string_view name) {
  append_number(to, static_cast<std::uint32_t>(name.size()));
  append(to, name.data(), name.size());
}

Result<Tensor> parse_array(Cursor& in) {
  Tensor tensor;
  tensor.spec.name = in.text(kMostName);
  const std::string dtype = in.text(64);
  const auto rank = in.number<std::uint32_t>();
  if (!in.good() || rank > kMostRank || tensor.spec.name.empty()) return nonsense("the head of an array is damaged");
  for (std::uint32_t i = 0; i < rank; ++i) tensor.spec.shape.push_back(in.number<std::int64_t>());
  const auto size = in.number<std::uint64_t>();
  const auto known = dtype_from_name(dtype);
  const std::string who = "array '" + printable(tensor.spec.name, 60) + "'";
  if (!known || size_of(*known) == 0) return nonsense(who + " has the dtype '" + printable(dtype, 30) + "'");
  tensor.spec.dtype = *known;
  const auto expected = tensor.spec.byte_size();
  if (!expected || *expected != size) return nonsense(who + " has " + std::to_string(size) + " bytes, which do not fit its shape");
  const ByteView values = in.take(size);
  if (!in.good()) return nonsense(who + " ends early");
  tensor.bytes = values.copy();
  return tensor;
}

}  // namespace

Result<Header> parse_header(ByteView bytes) {
  Cursor in(bytes);
  const auto kind = in.number<std::uint32_t>();
  const auto size = in.number<std::uint64_t>();
  if (!in.good() || kind < static_cast<std::uint32_t>(Kind::kHello) || kind > static_cast<std::uint32_t>(Kind::kFailure))
    return nonsense("no message starts like this");
  if (size > kMostBody)
    return Error{Fault::kLimit, "the arrays of one frame take " + bytes_text(static_cast<double>(size)) + ", the limit is " +
                                    bytes_text(static_cast<double>(kMostBody))};
  return Header{static_cast<Kind>(kind), size};
}

Bytes header(Kind kind, std::uint64_t size) {
  Bytes bytes;
  append_number(bytes, static_cast<std::uint32_t>(kind));
  append(bytes, &size, sizeof size);
  return bytes;
}

Result<Hello> parse_hello(ByteView body) {
  Cursor in(body);
  const auto version = in.number<std::uint32_t>();
  const auto wants = in.number<std::uint8_t>();
  Hello hello{wants == 1, in.text(kMostName)};
  if (!in.at_end() || wants > 1) return nonsense("its greeting is damaged");
  if (version != kVersion)
    return Error{Fault::kUnsupported, "the pipeline process speaks version " + std::to_string(version) + " of the protocol, expected " +
                                          std::to_string(kVersion) + "; its files and this program are of different releases"};
  return hello;
}

Result<std::vector<Tensor>> parse_answer(ByteView body) {
  Cursor in(body);
  const auto count = in.number<std::uint32_t>();
  if (!in.good()) return nonsense("an answer is empty");
  if (count > kMostArrays)
    return Error{Fault::kLimit, "it gave " + std::to_string(count) + " arrays, the limit is " + std::to_string(kMostArrays)};
  std::vector<Tensor> arrays;
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto array = parse_array(in);
    if (!array) return std::move(array.error());
    if (!names.insert(array->spec.name).second) return nonsense("array '" + printable(array->spec.name, 60) + "' comes twice");
    arrays.push_back(*std::move(array));
  }
  if (!in.at_end()) return nonsense("bytes follow the last array");
  return arrays;
}

Result<std::string> parse_failure(ByteView body) {
  Cursor in(body);
  std::string sentence = in.text(std::size_t{1} << 20);
  if (!in.at_end()) return nonsense("its reason is damaged");
  return sentence;
}

Bytes sample_of_pixels(std::string_view name, int height, int width, int channels) {
  Bytes body;
  append_name(body, name);
  body.push_back(std::byte{0});
  for (const int side : {height, width, channels}) append_number(body, static_cast<std::uint32_t>(side));
  return body;
}

Bytes sample_of_file(std::string_view name) {
  Bytes body;
  append_name(body, name);
  body.push_back(std::byte{1});
  return body;
}

}  // namespace edgeprobe::pipeline::function_wire
