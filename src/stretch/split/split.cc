// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/split.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "stretch/split/sharing.h"
#include "stretch/split/window.h"
#include "stretch/wording.h"

namespace edgeprobe::stretch {
namespace {

using model::Layer;

Result<int> tensor_named(const SplitSubject& subject, const std::string& name) {
  if (!name.empty() && name.front() == '#')
    return Error{ErrorKind::kUsage,
                 "splits identify tensors only by name, and " + in_quotes(name) + " is an index"};
  const auto found = std::find(subject.texts.begin(), subject.texts.end(), name);
  if (found == subject.texts.end())
    return Error{ErrorKind::kUsage,
                 "the model has no tensor " + in_quotes(name) + suggestion(name, subject.texts)};
  return static_cast<int>(found - subject.texts.begin());
}

/// The layers that compute `to` from `from` and from nothing else that depends on an input.
Result<std::vector<int>> layers_between(
    const SplitSubject& subject, int from, int to,
    std::size_t most = std::numeric_limits<std::size_t>::max()) {
  const auto nothing = [&] {
    return Error{ErrorKind::kUsage, "no layers compute " + in_quotes(subject.texts[at(to)]) +
                                        " of " + in_quotes(subject.texts[at(from)])};
  };
  std::set<int> layers;
  std::vector<int> open{to};
  bool reads = false;
  while (!open.empty()) {
    const int tensor = open.back();
    open.pop_back();
    if (tensor == from) {
      reads = true;
      continue;
    }
    const int maker = subject.flow.maker[at(tensor)];
    if (maker < 0 || at(maker) >= subject.graph.layers.size()) {
      if (tensor == to) return nothing();
      return Error{ErrorKind::kUnsupported, in_quotes(subject.texts[at(to)]) + " is computed of " +
                                                in_quotes(subject.texts[at(tensor)]) + ", too"};
    }
    if (!layers.insert(maker).second) continue;
    if (layers.size() > most)
      return Error{ErrorKind::kUnsupported, "more than " + std::to_string(most) +
                                                " layers compute " +
                                                in_quotes(subject.texts[at(to)]) + " of " +
                                                in_quotes(subject.texts[at(from)])};
    const Layer& layer = subject.layer(maker);
    if (!layer.implicit_inputs.empty())
      return Error{ErrorKind::kUnsupported, layer_name(subject, maker) + " has bodies"};
    for (const int input : layer.inputs)
      if (input >= 0 && !subject.is_stored(input)) {
        const int before = subject.flow.maker[at(input)];
        if (before >= maker && at(before) < subject.graph.layers.size())
          return Error{ErrorKind::kUnsupported, layer_name(subject, maker) +
                                                    " comes before the layer that makes " +
                                                    in_quotes(subject.texts[at(input)])};
        if (subject.flow.settled[at(input)])
          return Error{ErrorKind::kUnsupported,
                       layer_name(subject, maker) + " reads a computed constant"};
        open.push_back(input);
      }
  }
  if (!reads) return nothing();
  return std::vector<int>(layers.begin(), layers.end());
}

/// The DequantizeLinear that restore `from`.
std::vector<int> openings_of(const SplitSubject& subject, const Matched& matched) {
  std::vector<int> openings;
  for (const int index : matched.layers) {
    const Layer& layer = subject.layer(index);
    if (layer.type == "DequantizeLinear" && has(layer, 0) && layer.inputs[0] == matched.from &&
        layer.outputs.size() == 1 && layer.outputs[0] >= 0 && layer.outputs[0] != matched.to)
      openings.push_back(index);
  }
  return openings;
}

/// Only `to` may be read outside of these layers.
Status check_escapes(const SplitSubject& subject, const Matched& matched) {
  for (const int layer : matched.layers) {
    if (std::count(matched.openings.begin(), matched.openings.end(), layer) > 0) continue;
    for (const int output : subject.layer(layer).outputs) {
      if (output < 0 || output == matched.to) continue;
      const std::vector<int>& readers = subject.readers[at(output)];
      const bool is_inside = std::all_of(readers.begin(), readers.end(), [&](int reader) {
        return std::binary_search(matched.layers.begin(), matched.layers.end(), reader);
      });
      const auto& outputs = subject.graph.outputs;
      if (!is_inside || std::find(outputs.begin(), outputs.end(), output) != outputs.end())
        return Error{ErrorKind::kUnsupported,
                     in_quotes(subject.texts[at(output)]) +
                         " is wanted outside of the split layers, where it is not whole"};
    }
  }
  return {};
}

bool reads_shared(const Layer& layer, const std::vector<bool>& shared) {
  return std::any_of(layer.inputs.begin(), layer.inputs.end(),
                     [&](int input) { return input >= 0 && shared[at(input)]; });
}

/// Operators after the sum that move into the parts: a BatchNormalization, since both are linear,
/// and a shortcut, which one part adds where engines add it to their last result.
bool goes_behind(const SplitSubject& subject, Matched& matched, int layer) {
  const Layer& one = subject.layer(layer);
  const int sum = subject.layer(matched.behind >= 0 ? matched.behind : matched.last).outputs[0];
  if (matched.added >= 0 || one.outputs.size() != 1) return false;
  if (one.type == "Add" && one.version >= 7 && one.inputs.size() == 2 &&
      std::is_permutation(one.inputs.begin(), one.inputs.end(),
                          std::vector<int>{sum, matched.from}.begin())) {
    const model::ModelTensor &shortcut = subject.tensor(matched.from),
                             &made = subject.tensor(one.outputs[0]);
    matched.added = layer;
    return shortcut.shape_known && made.shape_known && shortcut.spec.shape == made.spec.shape;
  }
  if (one.type != "BatchNormalization" || subject.whole(layer, "training_mode", 0) != 0 ||
      one.inputs.size() != 5 || matched.behind >= 0 || one.inputs[0] != sum)
    return false;
  matched.behind = layer;
  return std::all_of(one.inputs.begin() + 1, one.inputs.end(),
                     [&](int input) { return subject.is_constant(input); });
}

Status match_channels(const SplitSubject& subject, Matched& matched, bool is_pair) {
  matched.shared.assign(subject.graph.tensors.size(), false);
  matched.step = kStep;
  for (const int index : matched.layers) {
    const Layer& layer = subject.layer(index);
    for (const int input : layer.inputs)
      if (subject.is_constant(input) && subject.tensor(input).is_sparse)
        return Error{
            ErrorKind::kUnsupported,
            layer_name(subject, index) + " has a constant that is stored without its zeros"};
    if (matched.first < 0 && !matched.openings.empty() && index == matched.openings.front()) {
      EP_TRY(const auto scales, scales_along(subject, index, 1));
      if (matched.openings.size() == 1 && scales.empty()) continue;
    }
    if (matched.first < 0) {
      EP_TRY(auto dense, dense_of(subject, index));
      const int read = matched.openings.empty()
                           ? matched.from
                           : subject.layer(matched.openings.front()).outputs.front();
      if (layer.inputs[0] != read)
        return Error{ErrorKind::kUnsupported, layer_name(subject, index) + " does not read " +
                                                  in_quotes(subject.texts[at(matched.from)])};
      matched.first = index;
      matched.axis = dense.axis;
      matched.size = dense.channels;
      matched.shared[at(layer.outputs.front())] = true;
      continue;
    }
    if (matched.last >= 0) {
      if (!goes_behind(subject, matched, index))
        return Error{ErrorKind::kUnsupported,
                     layer_name(subject, index) + " comes after the layer that adds the parts"};
      continue;
    }
    if (!reads_shared(layer, matched.shared))
      return Error{ErrorKind::kUnsupported,
                   layer_name(subject, index) + " does not read what is shared out"};
    auto channelwise = channelwise_of(subject, index, matched.axis, matched.size, matched.shared);
    if (channelwise) {
      matched.step = std::lcm(matched.step, channelwise->step);
      matched.shared[at(layer.outputs.front())] = true;
      continue;
    }
    auto dense = dense_of(subject, index);
    if (!is_pair || !dense || !matched.shared[at(layer.inputs[0])] || dense->axis != matched.axis)
      return std::move(channelwise).error();
    if (dense->integer)
      return Error{ErrorKind::kUnsupported,
                   layer_name(subject, index) +
                       " computes with stored integers (int8): no engine hands out the sums of 32 "
                       "bits that the parts of a pair would have to add; split it by channels"};
    matched.last = index;
  }
  if (is_pair && matched.last < 0)
    return Error{ErrorKind::kUnsupported, "no layer brings the channels together again before " +
                                              in_quotes(subject.texts[at(matched.to)])};
  return {};
}

Status match_rows(const SplitSubject& subject, Matched& matched) {
  const auto rows = [&](int tensor) { return dimension(subject.tensor(tensor), kRowAxis); };
  matched.axis = kRowAxis;
  matched.size = rows(matched.to);
  if (matched.size < 1 || rows(matched.from) < 1)
    return Error{ErrorKind::kUnsupported, "the rows of " +
                                              in_quotes(subject.texts[at(matched.to)]) +
                                              " are not known, or it has none"};
  for (const int layer : matched.layers) {
    EP_TRY(const auto window, window_of(subject, layer));
    if (!window.slides) continue;
    EP_CHECK(window_of(subject, layer, kRowAxis + 1));
  }
  return {};
}

}  // namespace

Result<Matched> match(const SplitSubject& subject, Split::Kind kind, int from, int to,
                      std::size_t most) {
  Matched matched;
  matched.from = from;
  matched.to = to;
  EP_TRY(matched.layers, layers_between(subject, from, to, most));
  for (const int layer : matched.layers) matched.macs += subject.layer(layer).macs.value_or(0);
  matched.openings = openings_of(subject, matched);
  EP_CHECK(kind == Split::Kind::kRows
               ? match_rows(subject, matched)
               : match_channels(subject, matched, kind == Split::Kind::kPair));
  EP_CHECK(check_escapes(subject, matched));
  if (matched.size < 2)
    return Error{ErrorKind::kUnsupported, "there is only one channel or row to divide"};
  return matched;
}

Result<std::vector<int>> layers_between(const SplitSubject& subject, const std::string& from,
                                        const std::string& to) {
  EP_TRY(const auto first, tensor_named(subject, from));
  EP_TRY(const auto last, tensor_named(subject, to));
  return layers_between(subject, first, last);
}

Result<Matched> match(const SplitSubject& subject, const Split& split) {
  EP_TRY(const auto from, tensor_named(subject, split.from));
  EP_TRY(const auto to, tensor_named(subject, split.to));
  EP_TRY(auto matched, match(subject, split.kind, from, to));
  EP_CHECK(check_ends(subject, matched));
  return matched;
}

Status check_ends(const SplitSubject& subject, const Matched& matched) {
  const auto is_cut = [&](int tensor) {
    return subject.within[at(tensor)] && subject.flow.maker[at(tensor)] != subject.flow.source;
  };
  for (const int tensor : {matched.from, matched.to})
    if (is_cut(tensor))
      return Error{ErrorKind::kUnsupported,
                   in_quotes(subject.texts[at(tensor)]) +
                       " is between the DequantizeLinear and the QuantizeLinear of an operator "
                       "that engines compute with integers; a split begins and ends at tensors of "
                       "integers there"};
  return {};
}

Status check_parts(const Matched& matched, const Split& split) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < split.parts.size(); ++i) {
    if (sum % matched.step != 0)
      return wrong(item("parts", i), "begins at " + std::to_string(sum) +
                                         "; parts begin at multiples of " +
                                         std::to_string(matched.step) + " there");
    if (split.parts[i] < 1 || split.parts[i] > matched.size)
      return wrong(item("parts", i), std::to_string(split.parts[i]) + "; expected 1 to " +
                                         std::to_string(matched.size));
    sum += split.parts[i];
  }
  if (sum != matched.size)
    return wrong("parts", "they add up to " + std::to_string(sum) + ", the model has " +
                              std::to_string(matched.size));
  return {};
}

std::vector<std::int64_t> parts_of(const Matched& matched, const std::vector<double>& shares) {
  const double whole = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::int64_t> parts;
  std::int64_t begin = 0;
  double share = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    share += shares[i];
    const double wanted = share / whole * static_cast<double>(matched.size);
    // The last part may have an odd size, but each has at least one step.
    const auto behind = static_cast<std::int64_t>(shares.size() - 1 - i);
    const std::int64_t most = (matched.size - 1) / matched.step - (behind - 1);
    const std::int64_t steps = std::clamp<std::int64_t>(
        std::llround(wanted / static_cast<double>(matched.step)), begin / matched.step + 1,
        std::max(most, begin / matched.step + 1));
    const std::int64_t end = behind == 0 ? matched.size : matched.step * steps;
    if (end <= begin || (behind > 0 && steps > most)) return {};
    parts.push_back(end - begin);
    begin = end;
  }
  return parts;
}

}  // namespace edgeprobe::stretch
