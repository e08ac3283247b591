// SPDX-License-Identifier: Apache-2.0
#include "flags.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "resize.h"

const char kUsage[] =
    "classifier MODEL SOURCE --engine LIBRARY [flags]   (SOURCE: a folder of pictures, or a "
    "video)\n"
    "  --engine LIBRARY       TensorFlow Lite's shared library\n"
    "  --threads N            1\n"
    "  --delegate LIBRARY     other hardware, by an external delegate of TensorFlow Lite\n"
    "  --labels FILE          lines of file,index,name: counts the right answers\n"
    "  --frames N             only the first N pictures\n"
    "From a picture to the model's input, in this order:\n"
    "  --mirror yes           swaps left and right\n"
    "  --rotation DEGREES     0, 90, 180, 270 clockwise\n"
    "  --fit HOW              stretch, square (only the middle), letterbox (bars around), corner "
    "(bars right or below)\n"
    "  --crop F               0.875: the central fraction of each side that is kept\n"
    "  --resize KERNEL        antialias, antialias-cubic, antialias-lanczos, area, bilinear, "
    "cubic, lanczos, nearest\n"
    "  --fill LEVEL           0: the level of the bars\n"
    "  --channels ORDER       rgb, bgr, gray\n"
    "  --gamma G              1\n"
    "  --range LOW..HIGH      -1..1: what black and white become; or, for pixels 0..255,\n"
    "  --mean M[,M,M] --std S[,S,S]\n"
    "  --layout ORDER         nhwc, nchw\n"
    "  --quantize HOW         model, or wrong: cast (numbers as they are), no-zero (no zero "
    "point), xor (the other signedness)\n"
    "The recording:\n"
    "  --trace FILE           record what the model gets and answers\n"
    "  --level LEVEL          none, io, embedding, layers\n"
    "  --raw WHICH            sample, none, all: which pictures go into the trace\n"
    "  --fact NAME=VALUE      of the device, e.g. driver=535.2; may be given several times\n"
    "  --own-outputs N        of a model from `edgeprobe instrument`: outputs from N on are "
    "layers\n";

namespace {

std::string one_of(const std::string& value, std::initializer_list<const char*> known) {
  if (std::find(known.begin(), known.end(), value) == known.end())
    throw std::invalid_argument(value);
  return value;
}

/// One number for all channels, or three.
std::array<double, 3> numbers(const std::string& text) {
  std::istringstream parts(text);
  std::vector<double> all;
  for (std::string part; std::getline(parts, part, ',');) all.push_back(std::stod(part));
  if (all.size() == 1) all.resize(3, all[0]);
  if (all.size() != 3) throw std::invalid_argument(text);
  return {all[0], all[1], all[2]};
}

void set(Flags& flags, const std::string& name, const std::string& value) {
  const std::map<std::string, edgeprobe::Level> levels = {
      {"none", edgeprobe::Level::none},
      {"io", edgeprobe::Level::io},
      {"embedding", edgeprobe::Level::embedding},
      {"layers", edgeprobe::Level::layers}};
  const std::map<std::string, edgeprobe::Raw> raws = {{"sample", edgeprobe::Raw::sample},
                                                      {"none", edgeprobe::Raw::none},
                                                      {"all", edgeprobe::Raw::all}};
  Preparation& preparation = flags.preparation;
  if (name == "--engine") flags.engine = value;
  else if (name == "--threads") flags.threads = std::stoi(value);
  else if (name == "--delegate") flags.delegate = value;
  else if (name == "--labels") flags.labels = value;
  else if (name == "--frames") flags.frames = std::stoul(value);
  else if (name == "--mirror") preparation.mirror = one_of(value, {"yes", "no"}) == "yes";
  else if (name == "--rotation")
    preparation.rotation = std::stoi(one_of(value, {"0", "90", "180", "270"}));
  else if (name == "--fit")
    preparation.fit = one_of(value, {"stretch", "square", "letterbox", "corner"});
  else if (name == "--crop") preparation.crop = std::stod(value);
  else if (name == "--resize" && is_kernel(value)) preparation.resize = value;
  else if (name == "--fill") preparation.fill = static_cast<std::uint8_t>(std::stoi(value));
  else if (name == "--channels") preparation.channels = one_of(value, {"rgb", "bgr", "gray"});
  else if (name == "--gamma") preparation.gamma = std::stod(value);
  else if (name == "--mean") preparation.mean = numbers(value);
  else if (name == "--std") preparation.std = numbers(value);
  else if (name == "--range") {
    const double low = std::stod(value), high = std::stod(value.substr(value.find("..") + 2)),
                 std = 255 / (high - low);
    preparation.std = {std, std, std};
    preparation.mean = {-low * std, -low * std, -low * std};
  } else if (name == "--layout") preparation.layout = one_of(value, {"nhwc", "nchw"});
  else if (name == "--quantize")
    flags.quantize = one_of(value, {"model", "cast", "no-zero", "xor"});
  else if (name == "--trace") flags.trace = value;
  else if (name == "--level") flags.probe.level = levels.at(value);
  else if (name == "--raw") flags.probe.raw = raws.at(value);
  else if (name == "--fact" && value.find('=') != std::string::npos)
    flags.facts.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
  else if (name == "--own-outputs")
    flags.probe.own_outputs = static_cast<std::uint32_t>(std::stoul(value));
  else throw std::invalid_argument(name);
}

}  // namespace

bool parse(int argc, char** argv, Flags& flags) {
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--", 0) != 0) {
      names.push_back(argument);
      continue;
    }
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos && i + 1 == argc) return false;
    try {
      set(flags, argument.substr(0, equals),
          equals == std::string::npos ? argv[++i] : argument.substr(equals + 1));
    } catch (const std::exception&) {
      return false;
    }
  }
  if (names.size() != 2 || flags.engine.empty()) return false;
  flags.model = names[0];
  flags.source = names[1];
  return true;
}
