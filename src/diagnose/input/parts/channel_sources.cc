// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "diagnose/input/parts/parts.h"

namespace edgeprobe::diagnose {
namespace {

/// Fraction of the values that must equal the source's.
constexpr double kNearlyAll = 0.999;
/// A channel varies if its values span more than this many gray steps.
constexpr double kTelling = 4;
constexpr int kMostMoved = 8;  ///< Largest shift of one channel against the others, in pixels.

enum class From { kOwn, kValue, kBefore, kBehind };
struct Source {
  From from = From::kOwn;
  std::size_t channel = 0;
  double value = 0;
  int down = 0, right = 0;  ///< Shift of the channel in pixels; the border is not compared.

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
    // The first frame has no predecessor.
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

/// The constant value of a channel that varies in the reference; NaN if each picture has another
/// one.
std::optional<double> one_value(const RecordedPictures& recorded, std::size_t channel) {
  double value = recorded.pictures.front().fed[channel];
  bool tells = false;
  for (const RecordedPicture& one : recorded.pictures) {
    double low = one.wanted[channel], high = low;
    const double first = one.fed[channel];
    for (std::size_t p = channel; p < one.fed.size(); p += recorded.layout.channels) {
      if (!(std::abs(double(one.fed[p]) - first) <= 0.01 * recorded.unit)) return std::nullopt;
      low = std::min<double>(low, one.wanted[p]);
      high = std::max<double>(high, one.wanted[p]);
    }
    if (first != value) value = std::numeric_limits<double>::quiet_NaN();
    tells = tells || high - low > kTelling * recorded.unit;
  }
  return tells ? std::optional(value) : std::nullopt;
}

std::string value_text(double value) { return std::isnan(value) ? "one value" : number(value, 4); }

/// Finds the reference's channel that this one copies with a shift.
std::optional<Source> moved_channel(const RecordedPictures& recorded, std::size_t channel) {
  const PictureLayout& l = recorded.layout;
  const auto height = int(l.height), width = int(l.width);
  const int most = std::min({kMostMoved, height / 4, width / 4});
  for (std::size_t from = 0; from < l.channels; ++from)
    for (int down = -most; down <= most; ++down)
      for (int right = -most; right <= most; ++right) {
        std::size_t off = 0, all = 0;
        const auto few = [&] { return double(off) <= 16 + (1 - kNearlyAll) * double(all); };
        for (const RecordedPicture& one : recorded.pictures)
          for (int y = most; y < height - most && few(); ++y)
            for (int x = most; x < width - most; ++x) {
              const double d =
                  double(one.fed[l.at(std::size_t(y), std::size_t(x), channel)]) -
                  double(one.wanted[l.at(std::size_t(y - down), std::size_t(x - right), from)]);
              off += !(std::abs(d) <= recorded.near);
              ++all;
            }
        if (double(off) <= (1 - kNearlyAll) * double(all))
          return Source{From::kOwn, from, 0, down, right};
      }
  return std::nullopt;
}

std::optional<Source> source_of(const RecordedPictures& recorded, std::size_t channel) {
  const std::size_t channels = recorded.layout.channels;
  // Tries the same channel first: in gray pictures all channels match.
  for (const From from : {From::kOwn, From::kBefore, From::kBehind})
    for (std::size_t k = 0; k < channels; ++k) {
      const Source source{from, (channel + k) % channels};
      if (comes_from(recorded, channel, source)) return source;
      if (from == From::kOwn && k + 1 == channels)
        if (const auto value = one_value(recorded, channel))
          return Source{From::kValue, 0, *value, 0, 0};
    }
  return moved_channel(recorded, channel);
}

std::string short_word(const RecordedPictures& recorded, std::size_t channel) {
  return channel < recorded.colors.size() ? std::string(1, recorded.colors[channel])
                                          : "channel " + std::to_string(channel);
}

std::string moved_text(const Source& source) {
  const auto by = [](int n, const char* less, const char* more) {
    return n == 0 ? std::string() : std::string(n < 0 ? less : more) + std::to_string(std::abs(n));
  };
  if (source.down == 0 && source.right == 0) return "";
  return " (moved" + by(source.down, " up by ", " down by ") +
         by(source.right, " left by ", " right by ") + ")";
}

std::string source_text(const RecordedPictures& recorded, const Source& source) {
  switch (source.from) {
    case From::kOwn: return short_word(recorded, source.channel) + moved_text(source);
    case From::kValue: return value_text(source.value) + " everywhere";
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
  // No picture arrives at all: another cause reports it.
  if (values == channels) return std::nullopt;
  bool in_place = true, changed = false;
  for (std::size_t c = 0; c < channels; ++c) {
    const bool itself = sources[c] == Source{From::kOwn, c};
    changed = changed || !itself;
    in_place = in_place && (itself || sources[c].from == From::kValue);
  }
  if (!changed) return std::nullopt;
  // If all channels are shifted, the whole picture is; the search handles that.
  if (std::all_of(sources.begin(), sources.end(),
                  [](const Source& one) { return one.down != 0 || one.right != 0; }))
    return std::nullopt;
  InputFault fault;
  if (in_place) {
    fault.kind = CauseKind::kIncompleteInput;
    std::string empty, held;
    for (std::size_t c = 0; c < channels; ++c) {
      if (sources[c].from != From::kValue) continue;
      empty += (empty.empty() ? "" : " and ") + channel_word(recorded, c);
      const std::string value = value_text(sources[c].value);
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
