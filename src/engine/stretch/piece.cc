// SPDX-License-Identifier: Apache-2.0
#include "engine/stretch/piece.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "core/index.h"
#include "core/text.h"

namespace edgeprobe::engine::stretch {
namespace {

/// infer() with copies: a profile comes with an inference alone.
class ProfiledBinding final : public Binding {
 public:
  ProfiledBinding(Session& session, std::vector<int> layers, const std::vector<Place>& inputs,
                  std::vector<Place> outputs, std::shared_ptr<std::vector<OpTime>> op_times)
      : session_(session),
        layers_(std::move(layers)),
        outputs_(std::move(outputs)),
        op_times_(std::move(op_times)) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      inputs_.emplace_back(session.inputs()[i], ByteView(inputs[i].data, inputs[i].size));
    for (const Place& place : inputs) copied_ += place.size;
    for (const Place& place : outputs_) copied_ += place.size;
  }

  Status run() override {
    auto inference = session_.infer(inputs_);
    if (!inference) return std::move(inference).error();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Bytes& bytes = inference->outputs[i].bytes;
      if (bytes.size() != outputs_[i].size)
        return Error{ErrorKind::kTarget, "output '" + sanitized(inference->outputs[i].spec.name) +
                                             "' changed its size"};
      if (!bytes.empty()) std::memcpy(outputs_[i].data, bytes.data(), bytes.size());
    }
    *op_times_ = std::move(inference->op_times);
    for (OpTime& time : *op_times_)
      for (int& layer : time.layers)
        layer = layer >= 0 && at(layer) < layers_.size() ? layers_[at(layer)] : -1;
    return {};
  }
  std::uint64_t copied() const override { return copied_; }

 private:
  Session& session_;
  std::vector<int> layers_;
  std::vector<TensorView> inputs_;
  std::vector<Place> outputs_;
  std::shared_ptr<std::vector<OpTime>> op_times_;
  std::uint64_t copied_ = 0;
};

bool are_aligned(const std::vector<Place>& places) {
  return std::all_of(places.begin(), places.end(), [](const Place& place) {
    return reinterpret_cast<std::uintptr_t>(place.data) % 64 == 0;
  });
}

}  // namespace

Status bind_piece(Piece& piece, const std::vector<Place>& inputs, const std::vector<Place>& outputs,
                  bool profile) {
  if (profile) {
    piece.op_times = std::make_shared<std::vector<OpTime>>();
    piece.binding = std::make_unique<ProfiledBinding>(*piece.session, piece.layers, inputs, outputs,
                                                      piece.op_times);
    return {};
  }
  // A slice may begin anywhere in its whole, and engines want places that are aligned.
  const bool aligned = are_aligned(inputs) && are_aligned(outputs);
  auto bound = aligned ? piece.session->bind(inputs, outputs)
                       : piece.session->Session::bind(inputs, outputs);
  if (!bound) return std::move(bound.error()).during(piece.sentence);
  piece.binding = *std::move(bound);
  return {};
}

std::vector<int> threads_of_process() {
  std::vector<int> threads;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failed)) {
    const std::string name = entry.path().filename().string();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc{})
      threads.push_back(thread);
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

}  // namespace edgeprobe::engine::stretch
