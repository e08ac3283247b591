// SPDX-License-Identifier: Apache-2.0
#include "protocol/serial.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/codec.h"
#include "core/text.h"

namespace edgeprobe::protocol {
namespace {

constexpr std::size_t kInputs = 2, kOutputs = 12, kDimensions = 4;
constexpr std::size_t kNameBytes = 20, kFigureNameBytes = 32;

/// A dtype, its name in g2 and its DLPack code in g3 and g4.
struct DTypeRow {
  DType dtype;
  const char* name;
  std::uint8_t code, bits;
};
constexpr std::array kDTypes{
    DTypeRow{DType::kFloat32, "f32", 2, 32}, DTypeRow{DType::kFloat16, "f16", 2, 16},
    DTypeRow{DType::kFloat64, "f64", 2, 64}, DTypeRow{DType::kBFloat16, "", 4, 16},
    DTypeRow{DType::kInt8, "i8", 0, 8},      DTypeRow{DType::kInt16, "i16", 0, 16},
    DTypeRow{DType::kInt32, "i32", 0, 32},   DTypeRow{DType::kInt64, "i64", 0, 64},
    DTypeRow{DType::kUInt8, "u8", 1, 8},     DTypeRow{DType::kUInt16, "u16", 1, 16},
    DTypeRow{DType::kUInt32, "u32", 1, 32},  DTypeRow{DType::kUInt64, "u64", 1, 64},
    DTypeRow{DType::kBool, "", 6, 8},
};

Error no_room(const std::string& what) {
  return {ErrorKind::kUnsupported, "IO_SPEC on a serial line: " + what};
}
Error wrong(const std::string& what) {
  return {ErrorKind::kCorrupt, "IO_SPEC on a serial line: " + what};
}

const DTypeRow* row_of(DType dtype) {
  for (const DTypeRow& row : kDTypes)
    if (row.dtype == dtype) return &row;
  return nullptr;
}

/// Fixed-size text, zero-filled; the caller ensures that it fits.
void put_name(ByteWriter& out, std::string_view text, std::size_t size) {
  out.append(view_of(text));
  for (std::size_t i = text.size(); i < size; ++i) out.number<std::uint8_t>(0);
}

std::string take_name(ByteReader& in, std::size_t size) {
  std::string_view text = in.take(size).text();
  return sanitized(text.substr(0, text.find('\0')), size);
}

Status check_room(const IoSpec& spec) {
  if (spec.inputs.size() > kInputs || spec.outputs.size() > kOutputs)
    return no_room("there is room for 2 inputs and 12 outputs, not for " +
                   std::to_string(spec.inputs.size()) + " and " +
                   std::to_string(spec.outputs.size()));
  if (spec.entry.size() >= kNameBytes || spec.model.size() >= kNameBytes)
    return no_room("names have at most 19 bytes");
  for (const auto* const tensors : {&spec.inputs, &spec.outputs})
    for (const IoTensor& tensor : *tensors) {
      const TensorSpec& one = tensor.spec;
      if (one.shape.size() > kDimensions)
        return no_room("'" + sanitized(one.name) + "' has more than 4 dimensions");
      if (!one.byte_size() || !row_of(one.dtype))
        return no_room("'" + sanitized(one.name) +
                       "' has an open dimension or a dtype without a code");
    }
  return {};
}

std::uint32_t dimension(const IoTensor& tensor, std::size_t index) {
  return index < tensor.spec.shape.size() ? static_cast<std::uint32_t>(tensor.spec.shape[index])
                                          : 0;
}

std::uint32_t elements(const IoTensor& tensor) {
  return static_cast<std::uint32_t>(element_count(tensor.spec.shape).value_or(0));
}

Result<Bytes> to_g2(const IoSpec& spec) {
  ByteWriter out;
  const auto u32 = [&](std::size_t value) { out.number(static_cast<std::uint32_t>(value)); };
  const auto each_input = [&](auto value) {
    for (std::size_t i = 0; i < kInputs; ++i)
      u32(i < spec.inputs.size() ? value(spec.inputs[i]) : 0);
  };
  u32(spec.inputs.size());
  each_input([](const IoTensor& tensor) { return tensor.spec.shape.size(); });
  for (std::size_t i = 0; i < kInputs; ++i)
    for (std::size_t d = 0; d < kDimensions; ++d)
      u32(i < spec.inputs.size() ? dimension(spec.inputs[i], d) : 0);
  each_input([](const IoTensor& tensor) { return std::size_t{elements(tensor)}; });
  each_input([](const IoTensor& tensor) { return size_of(tensor.spec.dtype); });
  u32(spec.outputs.size());
  for (std::size_t i = 0; i < kOutputs; ++i)
    u32(i < spec.outputs.size() ? elements(spec.outputs[i]) : 0);
  const DType dtype = spec.outputs.empty() ? DType::kFloat32 : spec.outputs.front().spec.dtype;
  for (const auto* const tensors : {&spec.inputs, &spec.outputs})
    for (const IoTensor& tensor : *tensors)
      if (tensor.spec.dtype != dtype || *row_of(dtype)->name == '\0')
        return no_room("g2 has room for one dtype of all tensors, and knows no bool and bfloat16");
  u32(size_of(dtype));
  put_name(out, row_of(dtype)->name, 4);
  put_name(out, spec.entry, kNameBytes);
  put_name(out, spec.model, kNameBytes);
  return std::move(out).bytes();
}

void put_tensors(ByteWriter& out, const std::vector<IoTensor>& tensors, std::size_t room) {
  out.number(static_cast<std::uint32_t>(tensors.size()));
  for (std::size_t i = 0; i < room; ++i)
    out.number(static_cast<std::uint32_t>(i < tensors.size() ? tensors[i].spec.shape.size() : 0));
  for (std::size_t i = 0; i < room; ++i)
    for (std::size_t d = 0; d < kDimensions; ++d)
      out.number(i < tensors.size() ? dimension(tensors[i], d) : 0U);
  for (std::size_t i = 0; i < room; ++i) {
    const DTypeRow* const row = i < tensors.size() ? row_of(tensors[i].spec.dtype) : nullptr;
    out.number<std::uint8_t>(row ? row->code : 0);
    out.number<std::uint8_t>(row ? row->bits : 0);
  }
}

Result<std::vector<IoTensor>> take_tensors(ByteReader& in, std::size_t room) {
  const std::uint32_t count = in.u32();
  std::array<std::uint32_t, kOutputs> ranks{};
  for (std::size_t i = 0; i < room; ++i) ranks.at(i) = in.u32();
  std::vector<IoTensor> tensors;
  if (count > room) return wrong("it says " + std::to_string(count) + " tensors");
  for (std::size_t i = 0; i < room; ++i) {
    IoTensor tensor;
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const std::uint32_t size = in.u32();
      if (d < ranks.at(i)) tensor.spec.shape.push_back(size);
    }
    if (i < count && ranks.at(i) > kDimensions)
      return wrong("a tensor says " + std::to_string(ranks.at(i)) + " dimensions");
    if (i < count) tensors.push_back(std::move(tensor));
  }
  for (std::size_t i = 0; i < room; ++i) {
    const std::uint8_t code = in.u8(), bits = in.u8();
    if (i >= count) continue;
    const auto row = std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeRow& known) {
      return known.code == code && known.bits == bits;
    });
    if (row == kDTypes.end())
      return wrong("a tensor has type code " + std::to_string(code) + " of " +
                   std::to_string(bits) + " bits");
    tensors[i].spec.dtype = row->dtype;
  }
  return tensors;
}

Result<IoSpec> from_g2(ByteReader& in) {
  IoSpec spec;
  const std::uint32_t inputs = in.u32();
  std::array<std::uint32_t, kInputs> ranks{in.u32(), in.u32()};
  for (std::size_t i = 0; i < kInputs; ++i) {
    IoTensor tensor;
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const std::uint32_t size = in.u32();
      if (d < ranks.at(i)) tensor.spec.shape.push_back(size);
    }
    if (i < inputs) spec.inputs.push_back(std::move(tensor));
  }
  in.take(4 * 2 * kInputs);  // Lengths and item sizes follow from the shapes and the dtype.
  const std::uint32_t outputs = in.u32();
  if (inputs > kInputs || outputs > kOutputs || ranks[0] > kDimensions || ranks[1] > kDimensions)
    return wrong("it states more tensors or dimensions than fit into it");
  for (std::size_t i = 0; i < kOutputs; ++i) {
    IoTensor tensor;
    tensor.spec.shape = {in.u32()};
    if (i < outputs) spec.outputs.push_back(std::move(tensor));
  }
  in.u32();
  const std::string dtype = take_name(in, 4);
  const auto row = std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeRow& known) {
    return !dtype.empty() && dtype == known.name;
  });
  if (row == kDTypes.end()) return wrong("the dtype '" + dtype + "' is not known");
  for (auto* const tensors : {&spec.inputs, &spec.outputs})
    for (IoTensor& tensor : *tensors) tensor.spec.dtype = row->dtype;
  spec.entry = take_name(in, kNameBytes);
  spec.model = take_name(in, kNameBytes);
  return spec;
}

}  // namespace

Result<Bytes> io_spec_to_serial(const IoSpec& spec, Generation generation) {
  EP_CHECK(check_room(spec));
  if (is_plain(generation)) return to_g2(spec);
  ByteWriter out;
  put_tensors(out, spec.inputs, kInputs);
  put_tensors(out, spec.outputs, kOutputs);
  put_name(out, spec.entry, kNameBytes);
  put_name(out, spec.model, kNameBytes);
  return std::move(out).bytes();
}

Result<IoSpec> io_spec_from_serial(ByteView payload, Generation generation) {
  const std::size_t size = is_plain(generation) ? kIoSpecBytesG2 : kIoSpecBytesG3;
  if (payload.size != size)
    return wrong("it has " + std::to_string(payload.size) + " bytes, not " + std::to_string(size));
  ByteReader in(payload);
  if (is_plain(generation)) return from_g2(in);
  IoSpec spec;
  EP_TRY(auto inputs, take_tensors(in, kInputs));
  EP_TRY(auto outputs, take_tensors(in, kOutputs));
  spec.inputs = std::move(inputs);
  spec.outputs = std::move(outputs);
  spec.entry = take_name(in, kNameBytes);
  spec.model = take_name(in, kNameBytes);
  return spec;
}

Bytes figures_to_serial(const std::vector<DeviceFigure>& figures, Generation generation) {
  ByteWriter out;
  for (const DeviceFigure& figure : figures) {
    put_name(out, std::string_view(figure.name).substr(0, kFigureNameBytes - 1), kFigureNameBytes);
    if (!is_plain(generation)) out.number(figure.kind);
    out.number(figure.value);
  }
  return std::move(out).bytes();
}

Result<std::vector<DeviceFigure>> figures_from_serial(ByteView payload, Generation generation) {
  const std::size_t record = kFigureNameBytes + (is_plain(generation) ? 8 : 16);
  if (payload.size % record != 0)
    return Error{ErrorKind::kCorrupt, "STATS on a serial line: " + std::to_string(payload.size) +
                                          " bytes are not a whole number of records of " +
                                          std::to_string(record)};
  std::vector<DeviceFigure> figures;
  ByteReader in(payload);
  while (!in.at_end()) {
    DeviceFigure figure;
    figure.name = take_name(in, kFigureNameBytes);
    if (!is_plain(generation)) figure.kind = in.u64();
    figure.value = in.u64();
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace edgeprobe::protocol
