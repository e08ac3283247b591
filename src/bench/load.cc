// SPDX-License-Identifier: Apache-2.0
#include "bench/load.h"

#include <cstring>

#include "core/text.h"
#include "pipeline/spec.h"

namespace edgeprobe::bench {
namespace {

std::uint64_t next(std::uint64_t& state) {  // splitmix64: equal on every machine
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class T, class F>
void fill(Bytes& bytes, F value) {
  for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    const T one = value();
    std::memcpy(bytes.data() + i, &one, sizeof one);
  }
}

void fill_whole(Tensor& tensor, const model::Feed& feed, std::uint64_t& seed) {
  const auto value = [&] {
    return static_cast<std::uint64_t>(feed.low) +
           next(seed) % static_cast<std::uint64_t>(feed.high - feed.low + 1);
  };
  switch (size_of(tensor.spec.dtype)) {
    case 2:
      return fill<std::uint16_t>(tensor.bytes, [&] { return static_cast<std::uint16_t>(value()); });
    case 4:
      return fill<std::uint32_t>(tensor.bytes, [&] { return static_cast<std::uint32_t>(value()); });
    case 8: return fill<std::uint64_t>(tensor.bytes, value);
    default: return;
  }
}

}  // namespace

Result<Model> open_model(const std::filesystem::path& path, const engine::EngineChoice& engine,
                         const engine::SessionOptions& session) {
  Model model;
  model.path = path;
  model.engine = engine;
  model.session = session;
  EP_TRY(model.file, model::FileBytes::open(path));
  std::error_code unresolved;
  model.session.folder = std::filesystem::absolute(path, unresolved).parent_path();
  model.closed = engine::closed_name(engine, path, model.file.view());
  if (!model.closed.empty()) {
    model.no_graph = "a compiled model shows its layers to its own engine only";
    return model;
  }
  model::FileBytes again;
  EP_TRY(model.graph, model::load(path, again));
  model.feeds = model::feeds(*model.graph);
  return model;
}

Status set_batch(Model& model, int batch) {
  if (batch == 1) return {};
  if (!model.graph)
    return Error{ErrorKind::kUsage,
                 "--batch: " + model.no_graph + ", so its inputs cannot be resized"};
  for (const int input : model.graph->inputs) {
    const TensorSpec& spec = model.graph->tensors[static_cast<std::size_t>(input)].spec;
    Shape shape = spec.shape;
    if (shape.empty() || (shape.front() != 1 && shape.front() != -1))
      return Error{ErrorKind::kUsage, "--batch " + std::to_string(batch) + ": input '" +
                                          sanitized(spec.name) + "' of shape " +
                                          to_text(spec.shape) +
                                          " has no first dimension of 1 that could be one"};
    shape.front() = batch;
    model.session.input_shapes[spec.name] = shape;
  }
  return {};
}

Result<Loaded> load(const Model& model, const engine::SessionOptions& options) {
  Loaded loaded;
  EP_TRY(auto engine, engine::open_supervised(model.engine));
  loaded.engine = std::move(engine);
  const std::string label = model.path.filename().string();
  const std::string format = model.closed.empty() ? model.graph->format : model.closed;
  EP_CHECK(pipeline::check_engine(loaded.engine->identity(), options, format, label));
  EP_TRY(loaded.session,
         loaded.engine->load(model.file.view(), model.path.filename().string(), options));
  return loaded;
}

Result<std::vector<Tensor>> random_inputs(const std::vector<TensorSpec>& inputs, std::uint64_t seed,
                                          const std::vector<model::Feed>& feeds) {
  std::vector<Tensor> tensors;
  for (const TensorSpec& spec : inputs) {
    const auto size = spec.byte_size();
    if (!size)
      return Error{ErrorKind::kUnsupported, "input '" + sanitized(spec.name) + "' of shape " +
                                                to_text(spec.shape) +
                                                " has no fixed size; give one with --input-shape"};
    Tensor tensor{spec, Bytes(*size)};
    const auto unit = [&] {
      return static_cast<double>(next(seed) >> 40) / static_cast<double>(1u << 24);
    };
    switch (spec.dtype) {
      case DType::kFloat32:
        fill<float>(tensor.bytes, [&] { return static_cast<float>(unit()); });
        break;
      case DType::kFloat64: fill<double>(tensor.bytes, unit); break;
      // 0.5 to 1: an exponent with any mantissa.
      case DType::kFloat16:
        fill<std::uint16_t>(tensor.bytes, [&] {
          return static_cast<std::uint16_t>(0x3800u | (next(seed) & 0x3ffu));
        });
        break;
      case DType::kBFloat16:
        fill<std::uint16_t>(tensor.bytes, [&] {
          return static_cast<std::uint16_t>(0x3f00u | (next(seed) & 0x7fu));
        });
        break;
      case DType::kInt8:
      case DType::kUInt8:
        fill<std::uint8_t>(tensor.bytes, [&] { return static_cast<std::uint8_t>(next(seed)); });
        break;
      default:
        if (const model::Feed* const feed = model::feed_of(feeds, spec.name))
          fill_whole(tensor, *feed, seed);
        break;  // zeros without a feed
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace edgeprobe::bench
