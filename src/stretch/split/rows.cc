// SPDX-License-Identifier: Apache-2.0
// Splits by rows: each part recomputes the rows of every layer that its own rows need (its halo).
#include <algorithm>
#include <map>
#include <tuple>

#include "core/index.h"
#include "core/text.h"
#include "stretch/split/find.h"
#include "stretch/split/written_parts.h"

namespace edgeprobe::stretch {
namespace {

using model::NewLayer;

std::int64_t height(const SplitSubject& subject, int tensor) {
  return dimension(subject.tensor(tensor), kRowAxis);
}

}  // namespace

Result<std::map<int, Rows>> rows_needed(const SplitSubject& subject, const Matched& matched,
                                        Rows wanted) {
  std::map<int, Rows> rows{{matched.to, wanted}};
  for (auto index = matched.layers.rbegin(); index != matched.layers.rend(); ++index) {
    const model::Layer& layer = subject.layer(*index);
    const auto made = rows.find(layer.outputs.front());
    if (made == rows.end()) continue;
    EP_TRY(const auto window, window_of(subject, *index));
    for (const std::size_t i : window.inputs) {
      const int input = layer.inputs[i];
      const Needed needed = needed_for(window, made->second, height(subject, input));
      if (needed.rows.end <= needed.rows.first)
        return Error{ErrorKind::kUnsupported,
                     layer_name(subject, *index) + " has rows that are computed only from padding"};
      const auto [known, is_new] = rows.emplace(input, needed.rows);
      known->second.first = std::min(known->second.first, needed.rows.first);
      known->second.end = std::max(known->second.end, needed.rows.end);
    }
  }
  return rows;
}

namespace {

class RowParts {
 public:
  RowParts(const SplitSubject& subject, const Matched& matched, const Split& split,
           PartConstants& constants)
      : subject_(subject), matched_(matched), split_(split), constants_(constants) {}

  Result<model::Replacement> replacement() {
    made_.layers = replaced_layers(subject_, matched_, {});
    const std::string to = subject_.tensor(matched_.to).spec.name;
    std::vector<std::string> parts;
    std::int64_t first = 0;
    for (part_ = 0; part_ < split_.parts.size(); ++part_) {
      EP_TRY(rows_, rows_needed(subject_, matched_, {first, first + split_.parts[part_]}));
      sliced_.clear();
      for (const int layer : matched_.layers) EP_CHECK(add(layer));
      first += split_.parts[part_];
      parts.push_back(part_name(to, part_));
    }
    NewLayer joined{"Concat", to + "/joined", std::move(parts), {to}, {}};
    set_attribute(joined, "axis", static_cast<std::int64_t>(kRowAxis));
    made_.by.push_back(std::move(joined));
    made_.constants = constants_.take();
    return std::move(made_);
  }

 private:
  Status add(int index) {
    const model::Layer& layer = subject_.layer(index);
    const Rows made_rows = rows_.at(layer.outputs.front());
    EP_TRY(const auto window, window_of(subject_, index));
    NewLayer made = layer_part(subject_, index, part_);
    made.outputs[0] = part_name(made.outputs[0], part_);
    for (const std::size_t i : window.inputs) {
      const int input = layer.inputs[i];
      const Needed needed = needed_for(window, made_rows, height(subject_, input));
      made.inputs[i] = rows_of(input, needed.rows);
      if (window.slides) EP_CHECK(pad(index, made, needed));
    }
    made_.by.push_back(std::move(made));
    return {};
  }

  /// Keeps the padding of columns.
  Status pad(int index, NewLayer& made, const Needed& needed) const {
    EP_TRY(const auto columns, window_of(subject_, index, kRowAxis + 1));
    std::erase_if(made.attributes,
                  [](const model::Attribute& one) { return one.name == "auto_pad"; });
    set_attribute(
        made, "pads",
        std::vector<std::int64_t>{needed.above, columns.above, needed.below, columns.below});
    return {};
  }

  /// The name of these rows of a tensor: all rows that the part has, or a slice of them.
  std::string rows_of(int tensor, Rows wanted) {
    const std::string& name = subject_.tensor(tensor).spec.name;
    const bool is_given = tensor == matched_.from;
    const Rows there = is_given ? Rows{0, height(subject_, tensor)} : rows_.at(tensor);
    const std::string whole = is_given ? name : part_name(name, part_);
    if (wanted.first == there.first && wanted.end == there.end) return whole;
    std::string& known = sliced_[{tensor, wanted.first, wanted.end}];
    if (!known.empty()) return known;
    const int maker = is_given ? -1 : subject_.flow.maker[at(tensor)];
    if (maker >= 0 && subject_.layer(maker).type == "DequantizeLinear")
      return known = restored(maker, wanted);
    // Other splits may read rows of the same tensor and have equally numbered parts.
    known =
        (is_given ? part_name(subject_.tensor(matched_.to).spec.name, part_) + "/from" : whole) +
        "/rows" + std::to_string(wanted.first) + "to" + std::to_string(wanted.end);
    NewLayer slice{"Slice", known, {whole}, {known}, {}};
    const std::int64_t first = wanted.first - there.first, end = wanted.end - there.first;
    const auto axis = static_cast<std::int64_t>(kRowAxis);
    const auto opset = subject_.graph.opsets.find("ai.onnx");
    if (opset != subject_.graph.opsets.end() && opset->second < 10) {
      using List = std::vector<std::int64_t>;
      slice.attributes = {{"starts", List{first}}, {"ends", List{end}}, {"axes", List{axis}}};
    } else {
      for (const auto& [what, value] :
           {std::pair{"starts", first}, std::pair{"ends", end}, std::pair{"axes", axis}})
        slice.inputs.push_back(constants_.wholes({value}, known + "/" + what));
    }
    made_.by.push_back(std::move(slice));
    return known;
  }

  /// These rows of the integers before a DequantizeLinear, restored: engines compute the next
  /// operator with integers only if it reads the DequantizeLinear directly.
  std::string restored(int index, Rows wanted) {
    NewLayer own = layer_part(subject_, index, part_);
    own.inputs[0] = rows_of(subject_.layer(index).inputs[0], wanted);
    own.name = part_name(own.outputs[0], part_) + "/rows" + std::to_string(wanted.first) + "to" +
               std::to_string(wanted.end);
    own.outputs[0] = own.name;
    made_.by.push_back(own);
    return own.name;
  }

  const SplitSubject& subject_;
  const Matched& matched_;
  const Split& split_;
  PartConstants& constants_;
  model::Replacement made_;
  std::size_t part_ = 0;
  std::map<int, Rows> rows_;  ///< By tensor: rows that the part has.
  std::map<std::tuple<int, std::int64_t, std::int64_t>, std::string> sliced_;
};

}  // namespace

Result<model::Replacement> row_parts(const SplitSubject& subject, const Matched& matched,
                                     const Split& split, PartConstants& constants) {
  return RowParts(subject, matched, split, constants).replacement();
}

}  // namespace edgeprobe::stretch
