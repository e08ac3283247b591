// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/input/parts/parts.h"

namespace edgeprobe::diagnose {
namespace {

/// Share of the values that must be those of the source.
constexpr double kNearlyAll = 0.999;
/// Gray steps that a channel reaches over, to be told from one value.
constexpr double kTelling = 4;

enum class From { kOwn, kValue, kBefore, kBehind };
struct Source {
  From from = From::kOwn;
  std::size_t channel = 0;
  double value = 0;

  bool operator==(const Source&) const = default;
};

const std::vector<float>& of_frame(const RecordedPicture& one, From from) {
  return from == From::kOwn ? one.wanted : from == From::kBefore ? one.before : one.behind;
}

bool comes_from(const RecordedPictures& recorded, std::size_t channel, const Source& source) {
  const std::size_t step = recorded.layout.channels;
  std::size_t compared = 0;
  for (const RecordedPicture& one : recorded.pictures) {
    const auto& from = of_frame(one, source.from);
    // The first frame has none before it.
    if (from.size() != one.fed.size()) continue;
    std::size_t off = 0;
    for (std::size_t p = 0; p < one.fed.size(); p += step)
      off += !(std::abs(double(one.fed[p + channel]) - double(from[p + source.channel])) <=
               recorded.near);
    if (double(off * step) > (1 - kNearlyAll) * double(one.fed.size())) return false;
    ++compared;
  }
  return compared > 0 && 2 * compared >= recorded.pictures.size();
}

/// The one value that a channel holds in every picture, where the reference's holds more.
std::optional<double> one_value(const RecordedPictures& recorded, std::size_t channel) {
  std::optional<double> value;
  bool tells = false;
  for (const RecordedPicture& one : recorded.pictures) {
    double low = one.wanted[channel], high = low;
    for (std::size_t p = channel; p < one.fed.size(); p += recorded.layout.channels) {
      if (!value) value = one.fed[p];
      if (!(std::abs(double(one.fed[p]) - *value) <= 0.01 * recorded.unit)) return std::nullopt;
      low = std::min<double>(low, one.wanted[p]);
      high = std::max<double>(high, one.wanted[p]);
    }
    tells = tells || high - low > kTelling * recorded.unit;
  }
  return tells ? value : std::nullopt;
}

std::optional<Source> source_of(const RecordedPictures& recorded, std::size_t channel) {
  const std::size_t channels = recorded.layout.channels;
  // Its own place first: gray pictures have it everywhere.
  for (const From from : {From::kOwn, From::kBefore, From::kBehind})
    for (std::size_t k = 0; k < channels; ++k) {
      const Source source{from, (channel + k) % channels, 0};
      if (comes_from(recorded, channel, source)) return source;
      if (from == From::kOwn && k + 1 == channels)
        if (const auto value = one_value(recorded, channel)) return Source{From::kValue, 0, *value};
    }
  return std::nullopt;
}

std::string short_word(const RecordedPictures& recorded, std::size_t channel) {
  return channel < recorded.colors.size() ? std::string(1, recorded.colors[channel])
                                          : "channel " + std::to_string(channel);
}

std::string source_text(const RecordedPictures& recorded, const Source& source) {
  switch (source.from) {
    case From::kOwn: return short_word(recorded, source.channel);
    case From::kValue: return number(source.value, 4) + " everywhere";
    case From::kBefore: return short_word(recorded, source.channel) + " of the frame before";
    case From::kBehind: return short_word(recorded, source.channel) + " of the next frame";
  }
  return "";
}

}  // namespace

std::optional<InputFault> channel_sources(const RecordedPictures& recorded) {
  const std::size_t channels = recorded.layout.channels;
  if (channels < 2) return std::nullopt;
  std::vector<Source> sources;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto source = source_of(recorded, c);
    if (!source) return std::nullopt;
    sources.push_back(*source);
  }
  const auto count = [&](From from) {
    return std::size_t(std::count_if(sources.begin(), sources.end(),
                                     [&](const Source& s) { return s.from == from; }));
  };
  const std::size_t values = count(From::kValue), own = count(From::kOwn);
  // Nothing of the picture arrives: another cause says so.
  if (values == channels) return std::nullopt;
  bool in_place = true, changed = false;
  for (std::size_t c = 0; c < channels; ++c) {
    const bool itself = sources[c] == Source{From::kOwn, c, 0};
    changed = changed || !itself;
    in_place = in_place && (itself || sources[c].from == From::kValue);
  }
  if (!changed) return std::nullopt;
  InputFault fault;
  if (in_place) {
    fault.kind = CauseKind::kIncompleteInput;
    std::string empty, held;
    for (std::size_t c = 0; c < channels; ++c) {
      if (sources[c].from != From::kValue) continue;
      empty += (empty.empty() ? "" : " and ") + channel_word(recorded, c);
      const std::string value = number(sources[c].value, 4);
      if (held.find(value) == std::string::npos) held += (held.empty() ? "" : " and ") + value;
    }
    fault.detail = "the app never fills " + empty + ": the model input is " + held +
                   " there in every pixel; the reference's holds the picture";
    return fault;
  }
  std::string fed, wanted;
  for (std::size_t c = 0; c < channels; ++c) {
    fed += (c ? ", " : "") + source_text(recorded, sources[c]);
    wanted += (c ? ", " : "") + short_word(recorded, c);
  }
  fault.kind = own + values < channels ? CauseKind::kOtherFrame : CauseKind::kChannelOrder;
  fault.detail = "the app's channels hold " + fed + "; the reference's hold " + wanted;
  if (values > 0 && fault.kind == CauseKind::kChannelOrder)
    fault.alternatives.push_back("a fourth channel (alpha) is read as a colour");
  return fault;
}

}  // namespace edgeprobe::diagnose
