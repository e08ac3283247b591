// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/codec.h"
#include "core/text.h"
#include "text/encode.h"

namespace edgeprobe::text {
namespace {

constexpr std::array kNames{"ids", "mask", "types", "positions"};

/// Words in the names of inputs, in lower case; ids come last, since "input_ids" contains other
/// words.
struct Word {
  std::string_view word;
  Role role;
};
constexpr std::array kWords{Word{"mask", Role::kMask}, Word{"segment", Role::kTypes},
                            Word{"type", Role::kTypes}, Word{"position", Role::kPositions}};

std::string small(const std::string& text) {
  std::string out = text;
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

const std::string& given_name(const FrontEnd& front_end, Role role) {
  switch (role) {
    case Role::kIds: return front_end.ids_input;
    case Role::kMask: return front_end.mask_input;
    case Role::kTypes: return front_end.types_input;
    case Role::kPositions: break;
  }
  return front_end.positions_input;
}

bool makes(const FrontEnd& front_end, Role role) {
  switch (role) {
    case Role::kIds: return true;
    case Role::kMask: return front_end.mask.has_value();
    case Role::kTypes: return front_end.types.has_value();
    case Role::kPositions: break;
  }
  return front_end.positions.has_value();
}

/// True if `value` is in T's range; also returns its bytes.
template <class T>
bool store(std::int64_t value, std::byte* to) {
  const T typed = static_cast<T>(value);
  if constexpr (std::is_floating_point_v<T>) {
    if (static_cast<std::int64_t>(typed) != value) return false;
  } else {
    if (std::cmp_less(value, std::numeric_limits<T>::min()) ||
        std::cmp_greater(value, std::numeric_limits<T>::max()))
      return false;
  }
  store_little(to, typed);
  return true;
}

using Store = bool (*)(std::int64_t, std::byte*);
Store store_for(DType dtype) {
  switch (dtype) {
    case DType::kInt8: return store<std::int8_t>;
    case DType::kUInt8:
    case DType::kBool: return store<std::uint8_t>;
    case DType::kInt16: return store<std::int16_t>;
    case DType::kInt32: return store<std::int32_t>;
    case DType::kUInt32: return store<std::uint32_t>;
    case DType::kInt64: return store<std::int64_t>;
    case DType::kFloat32: return store<float>;
    case DType::kFloat64: return store<double>;
    default: return nullptr;
  }
}

template <class T>
std::optional<std::int64_t> fetch(const std::byte* from) {
  const T value = load_little<T>(from);
  if constexpr (std::is_floating_point_v<T>)
    if (!(std::abs(value) < 9e15) || std::floor(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

using Fetch = std::optional<std::int64_t> (*)(const std::byte*);
Fetch fetch_for(DType dtype) {
  switch (dtype) {
    case DType::kInt8: return fetch<std::int8_t>;
    case DType::kUInt8:
    case DType::kBool: return fetch<std::uint8_t>;
    case DType::kInt16: return fetch<std::int16_t>;
    case DType::kUInt16: return fetch<std::uint16_t>;
    case DType::kInt32: return fetch<std::int32_t>;
    case DType::kUInt32: return fetch<std::uint32_t>;
    case DType::kInt64: return fetch<std::int64_t>;
    case DType::kFloat32: return fetch<float>;
    case DType::kFloat64: return fetch<double>;
    default: return nullptr;
  }
}

std::string described(const TensorSpec& spec) {
  return "input '" + sanitized(spec.name, 100) + "' is " + edgeprobe::name(spec.dtype) + " " +
         to_text(spec.shape);
}

}  // namespace

const char* name(Role role) { return kNames[static_cast<std::size_t>(role)]; }

Role role_by_words(const std::string& input) {
  const std::string text = small(input);
  for (const Word& word : kWords)
    if (text.find(word.word) != std::string::npos) return word.role;
  return Role::kIds;
}

Result<std::vector<Role>> roles_of(const std::vector<std::string>& inputs,
                                   const FrontEnd& front_end) {
  constexpr std::array kRoles{Role::kIds, Role::kMask, Role::kTypes, Role::kPositions};
  std::vector<std::optional<Role>> found(inputs.size());
  for (const Role role : kRoles) {
    const std::string& wanted = given_name(front_end, role);
    if (wanted.empty()) continue;
    const auto at = std::find(inputs.begin(), inputs.end(), wanted);
    if (at == inputs.end())
      return Error{ErrorKind::kUsage, "the recipe names the input '" + sanitized(wanted, 100) +
                                          "' for its " + name(role) + "; the model has none"};
    found[static_cast<std::size_t>(at - inputs.begin())] = role;
  }
  std::vector<Role> roles;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    // The only input of a model takes ids, whatever its name.
    roles.push_back(found[i]             ? *found[i]
                    : inputs.size() == 1 ? Role::kIds
                                         : role_by_words(inputs[i]));
  for (const Role role : kRoles) {
    std::vector<std::string> with;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (roles[i] == role) with.push_back("'" + sanitized(inputs[i], 100) + "'");
    if (with.size() > 1)
      return Error{ErrorKind::kUsage,
                   with[0] + " and " + with[1] + " both look like " + name(role) +
                       ": name each in the recipe, as " +
                       (role == Role::kIds ? "tokenize(input=NAME)"
                                           : std::string(name(role)) + "(input=NAME)")};
    if (with.empty() && makes(front_end, role))
      return Error{ErrorKind::kUsage, std::string("the recipe makes ") + name(role) +
                                          ", and the model has no input for it: leave the step "
                                          "out, or name the input as input=NAME"};
    if (!with.empty() && !makes(front_end, role))
      return Error{ErrorKind::kUsage, "input " + with[0] + " is given by nothing: add " +
                                          name(role) + " to the recipe"};
  }
  return roles;
}

Result<Tensor> as_tensor(const std::vector<std::int64_t>& values, const TensorSpec& spec) {
  Tensor tensor{spec, {}};
  const auto length = static_cast<std::int64_t>(values.size());
  Shape& shape = tensor.spec.shape;
  const bool row = shape.size() == 2 && (shape[0] == 1 || shape[0] < 0);
  if (!row && shape.size() != 1)
    return Error{ErrorKind::kUsage, described(spec) + "; a text becomes [length] or [1, length]"};
  if (row) shape[0] = 1;
  if (shape.back() < 0) shape.back() = length;
  if (shape.back() != length)
    return Error{ErrorKind::kUsage, described(spec) + ", and the recipe makes " +
                                        std::to_string(length) + " values: end it with truncate(" +
                                        std::to_string(shape.back()) + ") | pad(" +
                                        std::to_string(shape.back()) + ")"};
  const Store put = store_for(spec.dtype);
  if (!put || !spec.quantization.empty())
    return Error{ErrorKind::kUsage, described(spec) + ", which contains no token ids"};
  const std::size_t width = size_of(spec.dtype);
  tensor.bytes.resize(values.size() * width);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!put(values[i], tensor.bytes.data() + i * width))
      return Error{ErrorKind::kUsage,
                   described(spec) + ", which cannot hold " + std::to_string(values[i])};
  return tensor;
}

Result<std::vector<std::int64_t>> integers_of(const TensorView& tensor) {
  const Fetch get = fetch_for(tensor.spec->dtype);
  const std::size_t width = size_of(tensor.spec->dtype);
  if (!get || width == 0 || tensor.bytes.size % width != 0)
    return Error{ErrorKind::kUsage, described(*tensor.spec) + ", which contains no token ids"};
  std::vector<std::int64_t> out;
  for (std::size_t at = 0; at < tensor.bytes.size; at += width) {
    const auto value = get(tensor.bytes.data + at);
    if (!value)
      return Error{ErrorKind::kUsage,
                   described(*tensor.spec) + " and contains numbers with a fraction"};
    out.push_back(*value);
  }
  return out;
}

}  // namespace edgeprobe::text
