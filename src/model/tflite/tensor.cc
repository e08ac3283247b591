// SPDX-License-Identifier: Apache-2.0
#include "model/tflite/tensor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "model/tflite/schema.h"

namespace edgeprobe::model {
namespace {

constexpr std::size_t kMostDimensions = 32;
constexpr std::size_t kMostWarnings = 32;

struct StoredType {
  DType dtype;
  const char* name;
};

// TensorType of the schema, in the order of its codes.
constexpr std::array kTypes{
    StoredType{DType::kFloat32, "float32"},   StoredType{DType::kFloat16, "float16"},
    StoredType{DType::kInt32, "int32"},       StoredType{DType::kUInt8, "uint8"},
    StoredType{DType::kInt64, "int64"},       StoredType{DType::kOther, "string"},
    StoredType{DType::kBool, "bool"},         StoredType{DType::kInt16, "int16"},
    StoredType{DType::kOther, "complex64"},   StoredType{DType::kInt8, "int8"},
    StoredType{DType::kFloat64, "float64"},   StoredType{DType::kOther, "complex128"},
    StoredType{DType::kUInt64, "uint64"},     StoredType{DType::kOther, "resource"},
    StoredType{DType::kOther, "variant"},     StoredType{DType::kUInt32, "uint32"},
    StoredType{DType::kUInt16, "uint16"},     StoredType{DType::kInt4, "int4"},
    StoredType{DType::kBFloat16, "bfloat16"}, StoredType{DType::kOther, "int2"},
    StoredType{DType::kOther, "uint4"},       StoredType{DType::kOther, "float8_e4m3fn"},
    StoredType{DType::kOther, "float8_e5m2"}};

class TensorReader {
 public:
  TensorReader(FlatReader& reader, const Table& table, std::vector<std::string>& warnings)
      : reader_(reader), table_(table), warnings_(warnings) {}

  ModelTensor read(const std::vector<BufferRange>& buffers) {
    using namespace schema::tensor;
    if (!reader_.charge(sizeof(ModelTensor), table_.place)) return {};
    tensor_.spec.name = reader_.string(table_, kName);
    tensor_.is_variable = reader_.scalar<std::uint8_t>(table_, kIsVariable, 0) != 0;
    tensor_.is_sparse = reader_.slot(table_, kSparsity, 4) != 0;
    read_type();
    read_shape();
    read_values(buffers);
    if (!tensor_.is_constant) open_dimensions();
    read_quantization();
    return std::move(tensor_);
  }

 private:
  void read_type() {
    const int code = reader_.scalar<std::int8_t>(table_, schema::tensor::kType, 0);
    if (code < 0 || static_cast<std::size_t>(code) >= kTypes.size())
      return fail(ErrorKind::kUnsupported, "type",
                  "is " + std::to_string(code) + ", known types are 0 to " +
                      std::to_string(kTypes.size() - 1));
    const StoredType& type = kTypes[static_cast<std::size_t>(code)];
    tensor_.spec.dtype = type.dtype;
    if (type.dtype == DType::kOther) tensor_.stored_type = type.name;
  }

  void read_shape() {
    const auto stored = reader_.numbers<std::int32_t>(table_, schema::tensor::kShape);
    if (stored.size() > kMostDimensions)
      return fail(ErrorKind::kLimit, "shape",
                  "has " + std::to_string(stored.size()) + " dimensions, at most " +
                      std::to_string(kMostDimensions) + " are read");
    Shape closed(stored.begin(), stored.end());
    for (std::int64_t& dim : closed) {
      if (dim < -1)
        return fail(ErrorKind::kCorrupt, "shape",
                    "holds the dimension " + std::to_string(dim) + ", expected -1 or more");
      if (dim == -1) dim = 1;
    }
    const auto count = element_count(closed);
    if (!count || *count > (std::size_t{1} << 58))
      return fail(ErrorKind::kCorrupt, "shape",
                  "is " + to_text(closed) + ", which passes 2^58 elements");
    tensor_.spec.shape.assign(stored.begin(), stored.end());
  }

  // The signature only marks open dimensions; the shape has the sizes.
  void open_dimensions() {
    const auto signature = reader_.numbers<std::int32_t>(table_, schema::tensor::kShapeSignature);
    Shape& shape = tensor_.spec.shape;
    if (signature.size() != shape.size()) return;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (signature[axis] == -1) shape[axis] = -1;
  }

  void read_values(const std::vector<BufferRange>& buffers) {
    const auto index = reader_.scalar<std::uint32_t>(table_, schema::tensor::kBuffer, 0);
    if (reader_.scalar<std::uint32_t>(table_, schema::tensor::kExternalBuffer, 0) != 0)
      warn("has its values in another file, which is not read");
    if (reader_.failed() || index == 0) return;  // 0 means "no values".
    if (index >= buffers.size())
      return fail(ErrorKind::kCorrupt, "buffer",
                  "is " + std::to_string(index) + ", the file has " +
                      std::to_string(buffers.size()) + " buffers");
    const BufferRange& range = buffers[index];
    if (range.size == 0 || tensor_.is_variable) return;
    const auto needed = tensor_.spec.byte_size();
    if (needed && *needed != range.size && !tensor_.is_sparse)
      return fail(ErrorKind::kCorrupt, "buffer",
                  "is " + std::to_string(index) + " with " + std::to_string(range.size) +
                      " bytes at offset " + std::to_string(range.at) + ", the shape " +
                      to_text(tensor_.spec.shape) + " of " + name(tensor_.spec.dtype) + " needs " +
                      std::to_string(*needed));
    tensor_.is_constant = true;
    tensor_.data_offset = range.at;
    tensor_.data_size = range.size;
  }

  void read_quantization() {
    using namespace schema::quantization;
    constexpr int kBlockwise = 2;
    const Table table = reader_.table(table_, schema::tensor::kQuantization);
    if (!table) return;
    Quantization quantization;
    quantization.scale = reader_.numbers<float>(table, kScale);
    quantization.zero_point = reader_.numbers<std::int64_t>(table, kZeroPoint);
    quantization.axis = reader_.scalar<std::int32_t>(table, kQuantizedDimension, 0);
    if (reader_.scalar<std::uint8_t>(table, kDetailsType, 0) >= kBlockwise)
      warn("is quantised in blocks or along several axes, which is not read");
    if (reader_.failed() || quantization.scale.empty()) return;
    const std::size_t scales = quantization.scale.size(), zeros = quantization.zero_point.size();
    const Shape& shape = tensor_.spec.shape;
    const auto axis = static_cast<std::size_t>(quantization.axis);
    if (zeros > 1 && zeros != scales)
      return fail(
          ErrorKind::kCorrupt, "quantization.zero_point",
          "has " + std::to_string(zeros) + " entries for " + std::to_string(scales) + " scales");
    if (!shape.empty() && (quantization.axis < 0 || axis >= shape.size()))
      return fail(ErrorKind::kCorrupt, "quantization.quantized_dimension",
                  "is " + std::to_string(quantization.axis) + ", the shape " + to_text(shape) +
                      " has " + std::to_string(shape.size()) + " dimensions");
    if (scales > 1 && !shape.empty() && shape[axis] != static_cast<std::int64_t>(scales))
      return fail(ErrorKind::kCorrupt, "quantization.scale",
                  "has " + std::to_string(scales) + " entries, dimension " +
                      std::to_string(quantization.axis) + " of the shape " + to_text(shape) +
                      " needs as many as it is long");
    check_scales(quantization.scale);
    tensor_.spec.quantization = std::move(quantization);
  }

  // Kept unchanged: engines load such models, and we show what they do with them.
  void check_scales(const std::vector<float>& scales) {
    const auto bad = std::find_if(scales.begin(), scales.end(),
                                  [](float s) { return !std::isfinite(s) || s <= 0; });
    if (bad != scales.end())
      warn("has the scale " + number(*bad) + " at index " + std::to_string(bad - scales.begin()) +
           ", expected a finite number above 0: its real values mean nothing");
  }

  void fail(ErrorKind kind, const char* field, const std::string& what) {
    reader_.fail(kind, {&table_.place, field, -1}, table_.at, what);
  }

  void warn(const std::string& what) {
    if (warnings_.size() < kMostWarnings)
      warnings_.push_back(path_of(table_.place) + " \"" + sanitized(tensor_.spec.name, 60) + "\" " +
                          what);
  }

  FlatReader& reader_;
  const Table& table_;
  std::vector<std::string>& warnings_;
  ModelTensor tensor_;
};

}  // namespace

std::vector<BufferRange> read_buffers(FlatReader& reader, const Table& model) {
  using namespace schema::buffer;
  const Vector tables = reader.vector(model, schema::model::kBuffers, 4);
  std::vector<BufferRange> buffers;
  for (std::size_t i = 0; i < tables.count && !reader.failed(); ++i) {
    const Table table = reader.table_at(tables, i);
    reader.charge(sizeof(BufferRange), table.place);
    const Vector data = reader.vector(table, kData, 1);
    BufferRange range{data.at, data.count};
    // Writers put 0 or the placeholder 1 here if the values are inside.
    const auto offset = reader.scalar<std::uint64_t>(table, kOffset, 0);
    if (offset > 1) {
      const auto size = reader.scalar<std::uint64_t>(table, kSize, 0);
      if (offset > reader.file().size || size > reader.file().size - offset) {
        reader.fail(ErrorKind::kCorrupt, {&table.place, "offset"}, table.at,
                    "puts " + std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                        ", past the end of the file (" + std::to_string(reader.file().size) +
                        " bytes)");
        break;
      }
      range = {static_cast<std::size_t>(offset), static_cast<std::size_t>(size)};
    }
    buffers.push_back(range);
  }
  return buffers;
}

ModelTensor read_tensor(FlatReader& reader, const Table& table,
                        const std::vector<BufferRange>& buffers,
                        std::vector<std::string>& warnings) {
  return TensorReader(reader, table, warnings).read(buffers);
}

}  // namespace edgeprobe::model
