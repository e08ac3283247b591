// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/infer.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "model/onnx/types.h"

namespace edgeprobe::model::onnx {
namespace {

using Names = std::unordered_set<std::string_view>;

// Output 0 has the type and the shape of input 0.
const Names kLikeFirst{"Abs",
                       "Acos",
                       "Acosh",
                       "Affine",
                       "Asin",
                       "Asinh",
                       "Atan",
                       "Atanh",
                       "BatchNormalization",
                       "BitwiseNot",
                       "Ceil",
                       "Celu",
                       "Clip",
                       "Cos",
                       "Cosh",
                       "CumProd",
                       "CumSum",
                       "Dropout",
                       "Elu",
                       "Erf",
                       "Exp",
                       "Floor",
                       "Gelu",
                       "GroupNormalization",
                       "HardSigmoid",
                       "HardSwish",
                       "Hardmax",
                       "Identity",
                       "ImageScaler",
                       "InstanceNormalization",
                       "LRN",
                       "LayerNormalization",
                       "LeakyRelu",
                       "Log",
                       "LogSoftmax",
                       "LpNormalization",
                       "MeanVarianceNormalization",
                       "Mish",
                       "Neg",
                       "Not",
                       "ParametricSoftplus",
                       "RMSNormalization",
                       "Reciprocal",
                       "Relu",
                       "RotaryEmbedding",
                       "Round",
                       "ScaledTanh",
                       "Scatter",
                       "ScatterElements",
                       "ScatterND",
                       "Selu",
                       "Shrink",
                       "Sigmoid",
                       "Sign",
                       "Sin",
                       "Sinh",
                       "Softmax",
                       "Softplus",
                       "Softsign",
                       "Sqrt",
                       "Swish",
                       "Tan",
                       "Tanh",
                       "TensorScatter",
                       "ThresholdedRelu",
                       "Trilu",
                       "ai.onnx.ml:Binarizer",
                       "SimplifiedLayerNormalization",
                       "com.microsoft:BiasGelu",
                       "com.microsoft:BiasSoftmax",
                       "com.microsoft:FastGelu",
                       "com.microsoft:Gelu",
                       "com.microsoft:QLinearLeakyRelu",
                       "com.microsoft:QLinearSigmoid",
                       "com.microsoft:QLinearSoftmax",
                       "com.microsoft:QuickGelu"};

// Output 0 has the type of input 0 and the broadcast shape of all inputs.
const Names kBroadcast{"Add", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
                       "Div", "Max",      "Mean",       "Min",       "Mod",
                       "Mul", "PRelu",    "Pow",        "Sub",       "Sum"};
const Names kCompare{"And",  "Equal",       "Greater", "GreaterOrEqual",
                     "Less", "LessOrEqual", "Or",      "Xor"};
const Names kReduce{"ReduceL1",  "ReduceL2",       "ReduceLogSum", "ReduceLogSumExp",
                    "ReduceMax", "ReduceMean",     "ReduceMin",    "ReduceProd",
                    "ReduceSum", "ReduceSumSquare"};
const Names kPools{"AveragePool", "LpPool", "MaxPool", "com.microsoft:QLinearAveragePool"};
const Names kGlobalPools{"GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool",
                         "com.microsoft:QLinearGlobalAveragePool"};
// Output 0 has the type of input 0; its shape is not inferred here.
const Names kTypeOfFirst{"Attention",
                         "CenterCropPad",
                         "Col2Im",
                         "Compress",
                         "DFT",
                         "DeformConv",
                         "Det",
                         "Einsum",
                         "GatherElements",
                         "GatherND",
                         "GridSample",
                         "MaxRoiPool",
                         "MaxUnpool",
                         "NegativeLogLikelihoodLoss",
                         "Range",
                         "ReverseSequence",
                         "RoiAlign",
                         "STFT",
                         "SoftmaxCrossEntropyLoss",
                         "com.microsoft:Attention",
                         "com.microsoft:FusedMatMul",
                         "com.microsoft:FusedMatMulActivation",
                         "com.microsoft:GroupQueryAttention",
                         "com.microsoft:MultiHeadAttention",
                         "com.microsoft:TransposeMatMul"};
const Names kStrings{"StringConcat", "StringNormalizer"};
const Names kSequences{"SequenceConstruct", "SequenceEmpty",   "SequenceErase",
                       "SequenceInsert",    "SplitToSequence", "ai.onnx.ml:ZipMap"};
const Names kFloatMl{"ai.onnx.ml:FeatureVectorizer", "ai.onnx.ml:Imputer", "ai.onnx.ml:Normalizer",
                     "ai.onnx.ml:Scaler"};
const Names kRegressors{"ai.onnx.ml:LinearRegressor", "ai.onnx.ml:SVMRegressor",
                        "ai.onnx.ml:TreeEnsembleRegressor"};
const Names kClassifiers{"ai.onnx.ml:LinearClassifier", "ai.onnx.ml:SVMClassifier",
                         "ai.onnx.ml:TreeEnsembleClassifier"};

bool has(const Names& names, std::string_view type) { return names.count(type) != 0; }

Fact typed(DType dtype, const char* stored = "") {
  Fact fact;
  fact.typed = true;
  fact.dtype = dtype;
  fact.stored_type = stored;
  return fact;
}

Fact of_code(std::int64_t code) {
  const auto type = code > 0 && code < 1000 ? element_type(static_cast<int>(code)) : std::nullopt;
  return type ? typed(type->dtype, type->dtype == DType::kOther ? type->name : "") : Fact{};
}

Fact type_of(const Fact* like) {
  Fact fact;
  if (!like) return fact;
  fact.typed = like->typed;
  fact.dtype = like->dtype;
  fact.stored_type = like->stored_type;
  return fact;
}

Fact with(Fact fact, Inferred shape) {
  fact.ranked = shape && shape->size() <= kMostFactDimensions;
  if (fact.ranked) fact.shape = *std::move(shape);
  return fact;
}

Inferred shape_of(const Fact* fact) {
  return fact && fact->ranked ? Inferred(fact->shape) : std::nullopt;
}

Inferred reduced(const Facts& facts, bool axis_alone) {
  const Shape* x = facts.shape(0);
  if (!x) return std::nullopt;
  std::vector<bool> gone(x->size());
  std::vector<std::int64_t> one{facts.node.integer("axis", 0)};
  const std::vector<std::int64_t>* axes = axis_alone ? &one : facts.list(1, "axes");
  if (!axis_alone && facts.input(1) && !axes) return std::nullopt;
  if (!axes || axes->empty()) {
    if (facts.node.integer("noop_with_empty_axes", 0) != 0) return *x;
    gone.assign(x->size(), true);
  } else {
    for (const std::int64_t given : *axes) {
      const auto axis = axis_of(given, x->size());
      if (!axis) return std::nullopt;
      gone[*axis] = true;
    }
  }
  const bool keep = facts.node.integer("keepdims", 1) != 0;
  Shape out;
  for (std::size_t i = 0; i < x->size(); ++i)
    if (!gone[i]) out.push_back((*x)[i]);
    else if (keep) out.push_back(1);
  return out;
}

Inferred all_together(const Facts& facts, const std::vector<std::size_t>& which) {
  std::vector<const Shape*> shapes;
  for (const std::size_t at : which) shapes.push_back(facts.shape(at));
  return broadcast(shapes);
}

Inferred all_together(const Facts& facts) {
  std::vector<const Shape*> shapes;
  for (std::size_t at = 0; at < facts.inputs.size(); ++at) shapes.push_back(facts.shape(at));
  return broadcast(shapes);
}

std::vector<Fact> top(const Facts& facts) {
  const Shape* x = facts.shape(0);
  const auto* count = facts.integers(1);
  const std::int64_t k = count && !count->empty() ? count->front() : facts.node.integer("k", -1);
  Inferred shape;
  if (x)
    if (const auto axis = axis_of(facts.node.integer("axis", -1), x->size())) {
      shape = *x;
      (*shape)[*axis] = std::max<std::int64_t>(k, -1);
    }
  return {with(type_of(facts.input(0)), shape), with(typed(DType::kInt64), shape)};
}

std::vector<Fact> recurrent(const Facts& facts) {
  const Shape *x = facts.shape(0), *r = facts.shape(2);
  const Fact like = type_of(facts.input(0));
  if (!x || !r || x->size() != 3 || r->size() != 3 || facts.node.integer("layout", 0) != 0)
    return {like, like, like};
  const Shape state{(*r)[0], (*x)[1], (*r)[2]};
  return {with(like, Shape{(*x)[0], (*r)[0], (*x)[1], (*r)[2]}), with(like, state),
          with(like, state)};
}

std::vector<Fact> classified(const Facts& facts) {
  const Shape* x = facts.shape(0);
  const std::int64_t rows = x && x->size() == 2 ? (*x)[0] : x && x->size() == 1 ? 1 : -1;
  const Attribute* numbers = facts.node.attribute("classlabels_ints");
  const Attribute* numbers64 = numbers ? numbers : facts.node.attribute("classlabels_int64s");
  const bool named = !numbers64 || numbers64->integers.empty();
  return {with(named ? typed(DType::kOther, "string") : typed(DType::kInt64), Shape{rows}),
          with(typed(DType::kFloat32), Shape{rows, -1})};
}

// Infers QuantizeLinear and DequantizeLinear.
Fact quantized(const Facts& facts, bool back) {
  if (const std::int64_t code = facts.node.integer("output_dtype", 0))
    return with(of_code(code), shape_of(facts.input(0)));
  const std::size_t like = back ? 1 : 2;
  const Fact type = facts.input(like) ? type_of(facts.input(like))
                                      : typed(back ? DType::kFloat32 : DType::kUInt8);
  return with(type, shape_of(facts.input(0)));
}

Fact filled(const Facts& facts) {
  const Attribute* value = facts.node.attribute("value");
  Fact fact = value && value->tensor ? of_code(value->tensor->type) : typed(DType::kFloat32);
  const auto* sizes = facts.integers(0);
  if (sizes && std::all_of(sizes->begin(), sizes->end(), [](std::int64_t d) { return d >= 0; }))
    return with(std::move(fact), *sizes);
  return fact;
}

// For packed weights, where only the node has the number of columns.
Inferred packed_product(const Facts& facts) {
  Inferred shape = shape_of(facts.input(0));
  const std::int64_t columns = facts.node.integer("N", 0);
  if (!shape || shape->empty() || columns < 1) return std::nullopt;
  shape->back() = columns;
  return shape;
}

std::vector<Fact> by_type(const Facts& facts, std::string_view type) {
  const Fact first = type_of(facts.input(0));
  const Inferred same = shape_of(facts.input(0));
  if (has(kLikeFirst, type)) {
    std::vector<Fact> out{with(first, same)};
    if (type == "Dropout")
      out.push_back(with(facts.opset >= 10 ? typed(DType::kBool) : first, same));
    return out;
  }
  if (has(kBroadcast, type)) {
    // Before version 7 the second operand was broadcast to the first one.
    return {with(first, facts.opset < 7 ? same : all_together(facts))};
  }
  if (has(kCompare, type))
    return {with(typed(DType::kBool), facts.opset < 7 ? same : all_together(facts))};
  if (type == "IsNaN" || type == "IsInf") return {with(typed(DType::kBool), same)};
  if (type == "Where") return {with(type_of(facts.input(1)), all_together(facts))};
  if (type == "Conv" || type == "com.microsoft:FusedConv")
    return {with(first, convolved(facts, 0, 1))};
  if (type == "ConvInteger") return {with(typed(DType::kInt32), convolved(facts, 0, 1))};
  if (type == "QLinearConv") return {with(type_of(facts.input(7)), convolved(facts, 0, 3))};
  if (type == "ConvTranspose") return {with(first, transposed_convolved(facts))};
  if (has(kPools, type)) {
    const Inferred shape = pooled(facts);
    return {with(first, shape), with(typed(DType::kInt64), shape)};
  }
  if (has(kGlobalPools, type)) return {with(first, globally_pooled(facts))};
  if (type == "Gemm" || type == "com.microsoft:FusedGemm") return {with(first, gemm(facts, 0, 1))};
  if (type == "com.microsoft:MatMulNBits" || type == "com.microsoft:MatMulBnb4")
    return {with(first, packed_product(facts))};
  if (type == "com.microsoft:SkipLayerNormalization" ||
      type == "com.microsoft:SkipSimplifiedLayerNormalization")
    return {with(first, same), typed(DType::kFloat32), typed(DType::kFloat32), with(first, same)};
  if (type == "com.microsoft:QGemm")
    return {
        with(facts.input(8) ? type_of(facts.input(8)) : typed(DType::kFloat32), gemm(facts, 0, 3))};
  if (type == "MatMul") return {with(first, multiplied(facts, 0, 1))};
  if (type == "MatMulInteger") return {with(typed(DType::kInt32), multiplied(facts, 0, 1))};
  if (type == "QLinearMatMul") return {with(type_of(facts.input(7)), multiplied(facts, 0, 3))};
  if (type == "com.microsoft:DynamicQuantizeMatMul" || type == "com.microsoft:MatMulIntegerToFloat")
    return {with(typed(DType::kFloat32), multiplied(facts, 0, 1))};
  if (type == "com.microsoft:QLinearAdd" || type == "com.microsoft:QLinearMul")
    return {with(first, all_together(facts, {0, 3}))};
  if (type == "QuantizeLinear" || type == "com.microsoft:QuantizeLinear")
    return {quantized(facts, false)};
  if (type == "DequantizeLinear" || type == "com.microsoft:DequantizeLinear")
    return {quantized(facts, true)};
  if (type == "DynamicQuantizeLinear")
    return {with(typed(DType::kUInt8), same), with(typed(DType::kFloat32), Shape{}),
            with(typed(DType::kUInt8), Shape{})};
  if (type == "Cast") return {with(of_code(facts.node.integer("to", 0)), same)};
  if (type == "CastLike") return {with(type_of(facts.input(1)), same)};
  if (type == "Shape") {
    Fact shape = with(typed(DType::kInt64), Shape{-1});
    if (same && !facts.node.attribute("start") && !facts.node.attribute("end"))
      shape.shape[0] = std::ssize(*same);
    return {shape};
  }
  if (type == "Size") return {with(typed(DType::kInt64), Shape{})};
  if (type == "ConstantOfShape") return {filled(facts)};
  if (has(kReduce, type)) return {with(first, reduced(facts, false))};
  if (type == "ArgMax" || type == "ArgMin")
    return {with(typed(DType::kInt64), reduced(facts, true))};
  if (type == "TopK") return top(facts);
  if (type == "NonMaxSuppression") return {with(typed(DType::kInt64), Shape{-1, 3})};
  if (type == "NonZero")
    return {
        with(typed(DType::kInt64), same ? Inferred(Shape{std::ssize(*same), -1}) : std::nullopt)};
  if (type == "OneHot") return {type_of(facts.input(2))};
  if (type == "LSTM" || type == "GRU" || type == "RNN") return recurrent(facts);
  if (has(kTypeOfFirst, type)) return {first};
  if (has(kStrings, type)) return {typed(DType::kOther, "string")};
  if (type == "SequenceLength") return {with(typed(DType::kInt64), Shape{})};
  if (type == "OptionalHasElement") return {with(typed(DType::kBool), Shape{})};
  if (type == "Unique")
    return {first, typed(DType::kInt64), typed(DType::kInt64), typed(DType::kInt64)};
  if (has(kSequences, type)) return {typed(DType::kOther, "sequence")};
  if (has(kFloatMl, type))
    return {
        with(typed(DType::kFloat32), type == "ai.onnx.ml:FeatureVectorizer" ? std::nullopt : same)};
  if (has(kRegressors, type)) return {typed(DType::kFloat32)};
  if (has(kClassifiers, type)) return classified(facts);
  return {};
}

}  // namespace

std::vector<Fact> infer(const Facts& facts) {
  std::string type(facts.node.type);
  if (!facts.node.domain.empty() && facts.node.domain != "ai.onnx")
    type = std::string(facts.node.domain) + ":" + type;
  auto out = moved(facts);
  std::vector<Fact> made = out ? *std::move(out) : by_type(facts, type);
  if (auto integers = computed_integers(facts);
      integers && integers->size() <= kMostValues && !made.empty()) {
    if (made[0].ranked && made[0].shape.size() == 1) made[0].shape[0] = std::ssize(*integers);
    made[0].integers = std::move(integers);
  }
  if (made.size() > facts.outputs) made.resize(facts.outputs);
  return made;
}

}  // namespace edgeprobe::model::onnx
