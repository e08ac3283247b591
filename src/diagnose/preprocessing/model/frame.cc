// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/frame.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "preprocess/picture/values.h"

namespace edgeprobe::diagnose {
namespace {

bool is_gray(const preprocess::Image& image) {
  if (image.channels != 3) return true;
  for (std::size_t i = 0; i + 2 < image.pixels.size(); i += 3)
    if (image.pixels[i] != image.pixels[i + 1] || image.pixels[i] != image.pixels[i + 2])
      return false;
  return true;
}

preprocess::Image one_channel(const preprocess::Image& image) {
  preprocess::Image out{image.height, image.width, 1, {}};
  out.pixels.reserve(image.pixels.size() / image.channels);
  for (std::size_t i = 0; i < image.pixels.size(); i += image.channels)
    out.pixels.push_back(image.pixels[i]);
  return out;
}

void measure_pixels(Frame& frame) {
  std::array<std::size_t, 256> counts{};
  double sum = 0, squares = 0;
  for (std::uint8_t p : frame.upright.pixels) ++counts[p];
  const double n = double(frame.upright.pixels.size());
  std::size_t below = 0;
  bool low_set = false;
  for (int v = 0; v < 256; ++v) {
    sum += double(counts[v]) * v;
    squares += double(counts[v]) * v * v;
    below += counts[v];
    if (!low_set && double(below) >= 0.01 * n) {
      frame.low = v;
      low_set = true;
    }
    if (double(below) <= 0.99 * n) frame.high = v;
  }
  frame.deviation = std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
  if (frame.high < frame.low + 8) {
    frame.low = 0;
    frame.high = 255;
  }
}

double limit_share(const std::vector<float>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::size_t at = 0;
  for (float v : values) at += v == *low || v == *high;
  return double(at) / double(values.size());
}

}  // namespace

Result<Frame> make_frame(const InputFrame& given, const Reference& reference) {
  Frame frame;
  frame.sample = given.sample;
  if (!given.raw || given.raw->pixels.empty() || !given.target.spec)
    return Error{ErrorKind::kUnsupported, "no raw picture for " + given.sample};
  TensorSpec spec = *given.target.spec;
  EP_TRY(auto values, stored_as_float({spec, given.target.bytes}));
  const std::size_t wanted = std::size_t(reference.height) * reference.width * reference.channels;
  if (values.size() != wanted)
    return Error{ErrorKind::kUnsupported,
                 "the recorded tensor holds " + std::to_string(values.size()) +
                     " values, the model's input " + std::to_string(wanted)};
  frame.stored = std::move(values);
  // A trace may store real values for a quantised input, or codes for a float one.
  if (is_float(spec.dtype) && reference.coded)
    for (float& v : frame.stored) v = float(double(v) / reference.scale + reference.zero_point);
  else if (is_integer(spec.dtype) && !reference.coded && !spec.quantization.empty())
    for (float& v : frame.stored)
      v = float((double(v) - double(spec.quantization.zero_point_at(0))) *
                double(spec.quantization.scale_at(0)));

  auto healthy = preprocess::apply(reference.healthy, *given.raw, reference.target);
  if (!healthy) return std::move(healthy.error()).during("reference recipe on " + given.sample);
  EP_TRY(frame.healthy, stored_as_float(*healthy));
  frame.gray = is_gray(*given.raw);
  frame.upright = frame.gray && given.raw->channels != 1 ? one_channel(*given.raw) : *given.raw;
  measure_pixels(frame);
  frame.source = given.source;
  if (frame.source && frame.source->bytes.empty()) frame.source.reset();
  if (frame.source) {
    // Decoders differ only for JPEG and for the arithmetic of camera frames.
    const auto header = preprocess::read_header(frame.source->bytes);
    frame.lossy = frame.source->frame || !header || header->format == "jpeg";
  }
  return frame;
}

std::string Look::text() const {
  return (decode ? preprocess::to_text(preprocess::Step{*decode}) : "") + " | " +
         (tone_step ? preprocess::to_text(*tone_step) : "");
}

Frame* seen_as(Frame& frame, const Look& look) {
  const std::string key = look.text();
  if (key == frame.look.text()) return &frame;
  auto& made = frame.seen[key];
  if (made) return made.get();
  preprocess::Image image;
  const bool same_bytes = Look{look.decode, {}}.text() == Look{frame.look.decode, {}}.text();
  if (same_bytes && !frame.look.tone_step) {
    image = frame.upright;
  } else {
    auto read = frame.source
                    ? preprocess::read(*frame.source, look.decode.value_or(preprocess::Decode{}))
                    : Result<preprocess::Decoded>(Error{});
    if (!read) return nullptr;
    image = std::move(read->image);
    if (is_gray(image) && image.channels == 3) image = one_channel(image);
    if (frame.channels() == 3 && image.channels == 1) return nullptr;
  }
  if (look.tone_step) {
    auto raster = preprocess::to_raster(image);
    if (const auto* tone = std::get_if<preprocess::Tone>(&*look.tone_step))
      (void)preprocess::tone(raster, *tone);
    if (const auto* recode = std::get_if<preprocess::Recode>(&*look.tone_step))
      preprocess::recode(raster, *recode, preprocess::ChannelOrder::kRgb);
    image = preprocess::to_image(raster);
  }
  made = std::make_shared<Frame>();
  made->sample = frame.sample;
  made->upright = std::move(image);
  made->gray = frame.gray;
  made->stored = frame.stored;
  made->healthy = frame.healthy;
  made->low = frame.low;
  made->high = frame.high;
  made->deviation = frame.deviation;
  made->source = frame.source;
  made->lossy = frame.lossy;
  made->look = look;
  return made.get();
}

preprocess::Raster arranged(const std::vector<float>& memory, Order order, int height, int width,
                            int channels) {
  preprocess::Raster out{height, width, channels, std::vector<float>(memory.size())};
  if (order == Order::kHwc || channels * height * width != int(memory.size())) {
    out.values = memory;
    return out;
  }
  std::size_t at = 0;
  const auto put = [&](int y, int x, int c) {
    out.values[(std::size_t(y) * width + x) * channels + c] = memory[at++];
  };
  switch (order) {
    case Order::kChw:
      for (int c = 0; c < channels; ++c)
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x) put(y, x, c);
      break;
    case Order::kHcw:
      for (int y = 0; y < height; ++y)
        for (int c = 0; c < channels; ++c)
          for (int x = 0; x < width; ++x) put(y, x, c);
      break;
    case Order::kWhc:
      for (int x = 0; x < width; ++x)
        for (int y = 0; y < height; ++y)
          for (int c = 0; c < channels; ++c) put(y, x, c);
      break;
    default: break;
  }
  return out;
}

std::vector<float> sign_flipped(const std::vector<float>& codes, double lowest) {
  const float middle = float(lowest + 128);
  std::vector<float> out(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i)
    out[i] = codes[i] < middle ? codes[i] + 128 : codes[i] - 128;
  return out;
}

double total_variation(const preprocess::Raster& r) {
  double sum = 0;
  const std::size_t line = std::size_t(r.width) * r.channels;
  for (int y = 0; y < r.height; ++y) {
    const float* row = r.values.data() + y * line;
    float part = 0;
    for (std::size_t x = r.channels; x < line; ++x) part += std::abs(row[x] - row[x - r.channels]);
    if (y + 1 < r.height)
      for (std::size_t x = 0; x < line; ++x) part += std::abs(row[x + line] - row[x]);
    sum += part;
  }
  return sum;
}

Interpretation interpretation(const Frame& frame, const Reference& reference, Order order,
                              bool flipped) {
  Interpretation out;
  out.order = order;
  out.flipped = flipped;
  const auto& codes = frame.stored;
  out.target = arranged(flipped ? sign_flipped(codes, reference.lowest) : codes, order,
                        reference.height, reference.width, reference.channels);
  // Many values at the limits were clipped and do not constrain the line. If the picture is mostly
  // black, the reference has as many, and the pixels are kept.
  if (limit_share(out.target.values) > 0.02 + 2 * limit_share(frame.healthy)) {
    const auto [low, high] =
        std::minmax_element(out.target.values.begin(), out.target.values.end());
    const float least = *low, most = *high;
    const std::size_t pixels = out.target.values.size() / out.target.channels;
    out.keep.assign(pixels, 1);
    std::size_t kept = pixels;
    for (std::size_t p = 0; p < pixels; ++p)
      for (int c = 0; c < out.target.channels; ++c) {
        const float v = out.target.values[p * out.target.channels + c];
        if ((v == least || v == most) && out.keep[p]) {
          out.keep[p] = 0;
          --kept;
        }
      }
    if (kept < 32) out.keep.clear();
  }
  return out;
}

}  // namespace edgeprobe::diagnose
