// SPDX-License-Identifier: Apache-2.0
#include "family/count.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/index.h"

namespace edgeprobe::family {
namespace {

using nlohmann::ordered_json;

/// The pixels that a value depends on, and the distance of two neighbours in pixels.
struct Field {
  std::int64_t side = 1, step = 1;
};

std::vector<Field> fields_of(const Network& network) {
  std::vector<Field> fields;
  for (const Layer& layer : network.layers) {
    Field field;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      // The second factor of a squeeze-excite depends on the whole picture.
      if (layer.op == Op::kMul && i > 0) break;
      const int input = layer.inputs[i];
      const Field one = input < 0 ? Field{} : fields[at(input)];
      field.side = std::max(field.side, one.side);
      field.step = std::max(field.step, one.step);
    }
    field.side += (layer.kernel - 1) * field.step;
    field.step *= layer.stride;
    fields.push_back(field);
  }
  return fields;
}

ordered_json json_of(const Count& count) {
  return {{"parameters", static_cast<std::uint64_t>(count.parameters)},
          {"macs", static_cast<std::uint64_t>(count.macs)}};
}

}  // namespace

Count count_of(const Layer& layer) {
  Count count;
  for (const Parameter& parameter : parameters(layer)) {
    if (!parameter.is_trained) continue;
    double values = 1;
    for (const std::int64_t size : parameter.shape) values *= static_cast<double>(size);
    count.parameters += values;
  }
  const auto pixels = static_cast<double>(layer.height) * static_cast<double>(layer.width);
  const auto products =
      static_cast<double>(layer.channels) * static_cast<double>(layer.channels_in);
  if (layer.op == Op::kConv)
    count.macs = products / static_cast<double>(layer.groups) *
                 static_cast<double>(layer.kernel * layer.kernel) * pixels;
  if (layer.op == Op::kLinear) count.macs = products;
  return count;
}

Count count_of(const Network& network) {
  Count sum;
  for (const Layer& layer : network.layers) {
    const Count one = count_of(layer);
    sum.parameters += one.parameters;
    sum.macs += one.macs;
  }
  return sum;
}

std::vector<Section> sections_of(const Network& network) {
  const std::vector<Field> fields = fields_of(network);
  std::vector<Section> sections;
  std::map<std::pair<std::size_t, int>, std::size_t> found;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.branch < 0) continue;
    const auto [place, is_new] = found.try_emplace({layer.stage, layer.branch}, sections.size());
    if (is_new) sections.push_back({layer.stage, layer.branch, layer.processor, {}, {}});
    Section& section = sections[place->second];
    section.layers.push_back(static_cast<int>(i));
    const Count one = count_of(layer);
    section.count.parameters += one.parameters;
    section.count.macs += one.macs;
    section.channels = layer.channels;
    section.height = layer.height;
    section.width = layer.width;
    section.field = std::max(section.field, fields[i].side);
  }
  return sections;
}

double longest_way(const std::vector<Section>& sections) {
  std::map<std::size_t, double> largest;
  for (const Section& section : sections)
    largest[section.stage] = std::max(largest[section.stage], section.count.macs);
  double sum = 0;
  for (const auto& [stage, macs] : largest) sum += macs;
  return sum;
}

std::string counts_json(const Network& network) {
  const std::vector<Section> sections = sections_of(network);
  ordered_json out = {{"name", network.name},
                      {"size", network.size},
                      {"classes", network.classes},
                      {"layers", network.layers.size()}};
  out.update(json_of(count_of(network)));
  out["longest_way_macs"] = static_cast<std::uint64_t>(longest_way(sections));
  out["receptive_field"] = sections.back().field;
  out["processors"] = network.processors;
  out["sections"] = ordered_json::array();
  for (const Section& section : sections) {
    ordered_json one = {{"stage", section.stage}, {"branch", section.branch}};
    one["part"] = section.stage == 0                    ? "stem"
                  : section.stage == network.stages + 1 ? "head"
                                                        : "stage";
    one["processor"] = network.processors[section.processor];
    one["layers"] = section.layers.size();
    one.update(json_of(section.count));
    one["shape"] = {section.channels, section.height, section.width};
    one["receptive_field"] = section.field;
    out["sections"].push_back(std::move(one));
  }
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace edgeprobe::family
