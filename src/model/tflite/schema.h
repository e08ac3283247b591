// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/tflite/flatbuffer.h"

/// The fields of the TFLite schema (version 3) that edgeprobe reads, by table.
namespace edgeprobe::model::schema {

namespace model {
inline constexpr Field kVersion{0, "version"}, kOperatorCodes{1, "operator_codes"},
    kSubgraphs{2, "subgraphs"}, kDescription{3, "description"}, kBuffers{4, "buffers"},
    kMetadata{6, "metadata"}, kSignatureDefs{7, "signature_defs"};
}
namespace operator_code {
inline constexpr Field kDeprecatedBuiltinCode{0, "deprecated_builtin_code"},
    kCustomCode{1, "custom_code"}, kVersion{2, "version"}, kBuiltinCode{3, "builtin_code"};
}
namespace subgraph {
inline constexpr Field kTensors{0, "tensors"}, kInputs{1, "inputs"}, kOutputs{2, "outputs"},
    kOperators{3, "operators"};
}
namespace tensor {
inline constexpr Field kShape{0, "shape"}, kType{1, "type"}, kBuffer{2, "buffer"}, kName{3, "name"},
    kQuantization{4, "quantization"}, kIsVariable{5, "is_variable"}, kSparsity{6, "sparsity"},
    kShapeSignature{7, "shape_signature"}, kExternalBuffer{10, "external_buffer"};
}
namespace quantization {
inline constexpr Field kMin{0, "min"}, kMax{1, "max"}, kScale{2, "scale"},
    kZeroPoint{3, "zero_point"}, kDetailsType{4, "details_type"},
    kQuantizedDimension{6, "quantized_dimension"};
}
namespace op {
inline constexpr Field kOpcodeIndex{0, "opcode_index"}, kInputs{1, "inputs"},
    kOutputs{2, "outputs"}, kBuiltinOptionsType{3, "builtin_options_type"},
    kBuiltinOptions{4, "builtin_options"};
}
namespace batch_matmul_options {
inline constexpr Field kAdjointX{0, "adj_x"};
}
namespace buffer {
inline constexpr Field kData{0, "data"}, kOffset{1, "offset"}, kSize{2, "size"};
}
namespace metadata {
inline constexpr Field kName{0, "name"}, kBuffer{1, "buffer"};
}
namespace signature_def {
inline constexpr Field kSignatureKey{2, "signature_key"};
}
// From the metadata schema of TFLite Support.
namespace described {
inline constexpr Field kSubgraphs{3, "subgraph_metadata"}, kInputs{2, "input_tensor_metadata"},
    kProcessUnits{4, "process_units"}, kOptionsType{0, "options_type"}, kOptions{1, "options"},
    kMean{0, "mean"}, kStd{1, "std"};
}

}  // namespace edgeprobe::model::schema
