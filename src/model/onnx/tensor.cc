// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/tensor.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/text.h"
#include "model/onnx/external.h"
#include "model/onnx/types.h"

namespace edgeprobe::model::onnx {
namespace {

constexpr std::size_t kMostDimensions = 32;

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class ConstantReader {
 public:
  ConstantReader(WireReader& reader, const Tensor& tensor, const Place& place, ExternalFiles& files)
      : reader_(reader), tensor_(tensor), place_(place), files_(files) {}

  ModelTensor read() {
    made_.spec.name = tensor_.name;
    made_.is_constant = true;
    if (!reader_.charge(tensor_.name.size() + tensor_.dims.size() * sizeof(std::int64_t), place_))
      return {};
    const auto type = element_type(tensor_.type);
    if (!type) {
      fail(ErrorKind::kUnsupported,
           "has the element type " + std::to_string(tensor_.type) + ", known types are 1 to 28");
      return {};
    }
    type_ = *type;
    made_.spec.dtype = type_.dtype;
    if (type_.dtype == DType::kOther) made_.stored_type = type_.name;
    if (tensor_.is_segment)
      fail(ErrorKind::kUnsupported, "is one segment of a larger tensor, which is not read");
    if (!read_shape()) return {};
    place_values();
    return std::move(made_);
  }

 private:
  bool read_shape() {
    if (tensor_.dims.size() > kMostDimensions) {
      fail(ErrorKind::kLimit, "has " + std::to_string(tensor_.dims.size()) +
                                  " dimensions, at most " + std::to_string(kMostDimensions) +
                                  " are read");
      return false;
    }
    const auto count = element_count(tensor_.dims);
    if (!count || *count > (std::size_t{1} << 56)) {
      fail(ErrorKind::kCorrupt, "has the shape " + to_text(tensor_.dims) +
                                    ", expected dimensions of 0 or more and at most 2^56 elements");
      return false;
    }
    count_ = *count;
    made_.spec.shape = tensor_.dims;
    return true;
  }

  void place_values() {
    if (tensor_.is_external) return place_external();
    if (tensor_.raw) {
      if (type_.bits != 0 && tensor_.raw->size != bytes_needed())
        return misfit(tensor_.raw->size, "bytes", bytes_needed());
      return put(ModelTensor::Storage::kPlain, *tensor_.raw);
    }
    const std::size_t each = type_.per_entry ? static_cast<std::size_t>(type_.per_entry) : 1;
    // A complex number takes two entries.
    const bool is_pair = type_.dtype == DType::kOther && type_.bits >= 64;
    const std::size_t entries = is_pair ? 2 * count_ : (count_ + each - 1) / each;
    if (tensor_.values != entries) return misfit(tensor_.values, "entries", entries);
    if (count_ == 0) return put(ModelTensor::Storage::kPlain, {tensor_.at, 0});
    const bool is_plain = type_.dtype == DType::kFloat32 || type_.dtype == DType::kFloat64;
    if (is_plain && tensor_.pieces == 1 && tensor_.packed->size == bytes_needed())
      return put(ModelTensor::Storage::kPlain, *tensor_.packed);
    if (tensor_.parts > 1)
      return fail(ErrorKind::kUnsupported, "comes in several parts, which is not read");
    put(ModelTensor::Storage::kProtobuf, tensor_.message);
  }

  void place_external() {
    const auto offset = whole_number(tensor_.offset.empty() ? "0" : tensor_.offset);
    const auto length = whole_number(tensor_.length);
    if (!offset || (!length && !tensor_.length.empty()))
      return fail(ErrorKind::kCorrupt, "has values in another file at offset '" +
                                           sanitized(tensor_.offset, 40) + "' of length '" +
                                           sanitized(tensor_.length, 40) +
                                           "', expected whole numbers");
    const std::size_t needed = type_.bits ? bytes_needed() : length.value_or(0);
    if (length && *length != needed) return misfit(*length, "bytes", needed);
    const auto size = files_.size(tensor_.location);
    if (!size) return fail(size.error().kind, "has " + size.error().what);
    if (*size && (*offset > **size || needed > **size - *offset))
      return fail(ErrorKind::kCorrupt, "has its " + std::to_string(needed) + " bytes at offset " +
                                           std::to_string(*offset) + " of '" +
                                           sanitized(tensor_.location) + "', which has " +
                                           std::to_string(**size) + " bytes");
    if (!reader_.charge(tensor_.location.size(), place_)) return;
    made_.external_file = tensor_.location;
    put(ModelTensor::Storage::kExternal, {*offset, needed});
  }

  std::size_t bytes_needed() const {
    return (count_ * static_cast<std::size_t>(type_.bits) + 7) / 8;
  }

  void put(ModelTensor::Storage storage, Run run) {
    made_.storage = storage;
    made_.data_offset = run.at;
    made_.data_size = run.size;
  }

  void misfit(std::size_t has, const char* what, std::size_t needed) {
    fail(ErrorKind::kCorrupt, "has " + std::to_string(has) + " " + what + " of values, its shape " +
                                  to_text(tensor_.dims) + " of " + type_.name + " needs " +
                                  std::to_string(needed));
  }

  void fail(ErrorKind kind, const std::string& what) {
    reader_.fail(kind, place_, tensor_.at, "('" + sanitized(tensor_.name, 60) + "') " + what);
  }

  WireReader& reader_;
  const Tensor& tensor_;
  const Place& place_;
  ExternalFiles& files_;
  ElementType type_;
  std::size_t count_ = 0;
  ModelTensor made_;
};

const char* word_for(Type::Kind kind) {
  switch (kind) {
    case Type::Kind::kSequence: return "sequence";
    case Type::Kind::kMap: return "map";
    case Type::Kind::kOptional: return "optional";
    case Type::Kind::kOpaque: return "opaque";
    default: return "sparse_tensor";
  }
}

// Converts variable-length numbers to elements of `size` bytes by truncation: negative numbers are
// sign-extended.
template <class Append>
void decode_field(WireReader& reader, const WireField& field, const Place& place, Append&& append) {
  if (field.number == 5 || field.number == 7 || field.number == 11)
    return reader.each_varint(field, place, append);
  const bool is_plain = field.number == 4 || field.number == 10;
  if (!is_plain) return;
  const std::size_t each = field.number == 4 ? 4 : 8;
  for (std::size_t at = 0; at + each <= field.run.size; at += each) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, reader.bytes(field.run).data + at, each);
    append(bits);
  }
}

}  // namespace

Result<std::optional<std::size_t>> ExternalFiles::size(std::string_view location) {
  if (folder_.empty()) return std::optional<std::size_t>{};
  const auto found = known_.find(location);
  if (found != known_.end()) return std::optional<std::size_t>(found->second);
  EP_TRY(auto size, external_size(folder_, location));
  known_.emplace(location, size);
  return std::optional<std::size_t>(size);
}

ModelTensor constant_tensor(WireReader& reader, const Tensor& tensor, const Place& place,
                            ExternalFiles& files) {
  return ConstantReader(reader, tensor, place, files).read();
}

void declare(WireReader& reader, const Type& type, const Place& place, ModelTensor& into) {
  if (type.kind == Type::Kind::kNone) return;
  if (type.kind != Type::Kind::kTensor) {
    into.spec.dtype = DType::kOther;
    into.stored_type = word_for(type.kind);
    return;
  }
  if (type.element != 0) {
    const auto element = element_type(type.element);
    if (!element)
      return reader.fail(ErrorKind::kUnsupported, place, 0,
                         "('" + sanitized(into.spec.name, 60) + "') has the element type " +
                             std::to_string(type.element) + ", known types are 1 to 28");
    into.spec.dtype = element->dtype;
    into.stored_type = element->dtype == DType::kOther ? element->name : "";
  }
  if (!type.has_shape) return;
  if (type.shape.size() > kMostDimensions)
    return reader.fail(ErrorKind::kLimit, place, 0,
                       "('" + sanitized(into.spec.name, 60) + "') has " +
                           std::to_string(type.shape.size()) + " dimensions, at most " +
                           std::to_string(kMostDimensions) + " are read");
  if (!reader.charge(type.shape.size() * sizeof(std::int64_t), place)) return;
  into.spec.shape = type.shape;
  into.shape_known = true;
}

Result<Bytes> decode_values(ByteView file, const ModelTensor& tensor) {
  const auto needed = tensor.spec.byte_size();
  if (!needed)
    return Error{ErrorKind::kUnsupported, "is not a list of numbers (" + tensor.stored_type + ")"};
  const std::size_t size = tensor.spec.dtype == DType::kInt4 ? 1 : size_of(tensor.spec.dtype);
  Bytes values;
  values.reserve(std::min(*needed, 8 * tensor.data_size));
  WireReader reader(file, "the model");
  const Place place{nullptr, "tensor", -1};
  reader.each({tensor.data_offset, tensor.data_size}, place, [&](const WireField& field) {
    decode_field(reader, field, place, [&](std::uint64_t bits) {
      const auto* const from = reinterpret_cast<const std::byte*>(&bits);
      values.insert(values.end(), from, from + size);
    });
  });
  if (reader.failed() || values.size() != *needed)
    return Error{ErrorKind::kCorrupt, "has " + std::to_string(values.size()) +
                                          " bytes of values, its shape needs " +
                                          std::to_string(*needed)};
  return values;
}

}  // namespace edgeprobe::model::onnx
