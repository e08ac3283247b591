// SPDX-License-Identifier: Apache-2.0
#include "processors/dsps.h"

#include <algorithm>
#include <cctype>

#include "core/text.h"

namespace edgeprobe::processors {
namespace {

struct Soc {
  const char* name;  ///< The kernel's name, or the code name used instead.
  const char* hexagon;
  Dsps::Way way;
};

/// Chips named on TensorFlow's page about the Hexagon delegate and on Qualcomm's about AI Engine
/// Direct; others are unknown.
constexpr Soc kSocs[] = {
    {"MSM8996", "Hexagon 680", Dsps::Way::kTfliteHexagon},
    {"APQ8096", "Hexagon 680", Dsps::Way::kTfliteHexagon},
    {"SDM660", "Hexagon 680", Dsps::Way::kTfliteHexagon},
    {"MSM8998", "Hexagon 682", Dsps::Way::kTfliteHexagon},
    {"APQ8098", "Hexagon 682", Dsps::Way::kTfliteHexagon},
    {"SDM845", "Hexagon 685", Dsps::Way::kTfliteHexagon},
    {"SDA845", "Hexagon 685", Dsps::Way::kTfliteHexagon},
    {"SDM710", "Hexagon 685", Dsps::Way::kTfliteHexagon},
    {"QCS603", "Hexagon 685", Dsps::Way::kTfliteHexagon},
    {"QCS605", "Hexagon 685", Dsps::Way::kTfliteHexagon},
    {"QCS410", "Hexagon 685 or 690", Dsps::Way::kTfliteHexagon},
    {"QCS610", "Hexagon 685 or 690", Dsps::Way::kTfliteHexagon},
    {"SM8150", "Hexagon 690 (v66)", Dsps::Way::kTfliteHexagon},
    {"SM8250", "Hexagon 698 (v66)", Dsps::Way::kTfliteHexagon},
    {"QRB5165", "Hexagon 698 (v66)", Dsps::Way::kTfliteHexagon},
    {"KONA", "Hexagon 698 (v66)", Dsps::Way::kTfliteHexagon},
    {"SM8350", "Hexagon v68", Dsps::Way::kQnn},
    {"LAHAINA", "Hexagon v68", Dsps::Way::kQnn},
    {"SA8295", "Hexagon v68", Dsps::Way::kQnn},
    {"SM8450", "Hexagon v69", Dsps::Way::kQnn},
    {"WAIPIO", "Hexagon v69", Dsps::Way::kQnn},
    {"SM8475", "Hexagon v69", Dsps::Way::kQnn},
    {"SM8550", "Hexagon v73", Dsps::Way::kQnn},
    {"KALAMA", "Hexagon v73", Dsps::Way::kQnn},
    {"SM8650", "Hexagon v75", Dsps::Way::kQnn},
    {"PINEAPPLE", "Hexagon v75", Dsps::Way::kQnn},
    {"SM8750", "Hexagon v79", Dsps::Way::kQnn},
    {"SUN", "Hexagon v79", Dsps::Way::kQnn},
};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// "SM8550" of "SM8550P" or "SM8550-AB", but not of "SM85501".
bool is_soc(const std::string& text, const std::string& name) {
  return text.starts_with(name) && (text.size() == name.size() ||
                                    !std::isdigit(static_cast<unsigned char>(text[name.size()])));
}

const Soc* known(const std::string& text) {
  const auto at = std::find_if(std::begin(kSocs), std::end(kSocs),
                               [&](const Soc& soc) { return is_soc(text, soc.name); });
  return at == std::end(kSocs) ? nullptr : at;
}

/// The kernel's names for the chip: from the files of its driver, or else the device tree's last
/// "qcom,NAME".
std::vector<std::string> names(const Host& host, bool& is_qualcomm) {
  std::vector<std::string> found;
  const auto read = [&](const std::string& inside) {
    const auto text = meter::read_text(host.root / inside);
    return text ? *text : std::string();
  };
  const std::string folder = "sys/devices/soc0/";
  const std::string vendor = upper(read(folder + "vendor") + read(folder + "family"));
  is_qualcomm = vendor.find("QUALCOMM") != std::string::npos ||
                vendor.find("QTI") != std::string::npos ||
                vendor.find("SNAPDRAGON") != std::string::npos;
  for (const char* const file : {"soc_id", "machine", "chip_name"}) {
    const std::string name = upper(read(folder + file));
    // In older kernels, this file contains one of Qualcomm's numbers instead of a name.
    if (!name.empty() && !meter::whole_number(name)) found.push_back(sanitized(name, 60));
  }
  // Entries end with a zero byte.
  const std::string compatible = read("proc/device-tree/compatible");
  for (std::size_t from = 0; from < compatible.size();) {
    const std::size_t end = std::min(compatible.find('\0', from), compatible.size());
    const std::string entry = compatible.substr(from, end - from);
    from = end + 1;
    if (!entry.starts_with("qcom,")) continue;
    is_qualcomm = true;
    found.push_back(sanitized(upper(entry.substr(5)), 60));
  }
  return found;
}

}  // namespace

Dsps dsps(const Host& host) {
  Dsps found;
  const std::vector<std::string> all = names(host, found.is_qualcomm);
  for (const std::string& name : all)
    if (const Soc* const soc = known(name); soc && found.hexagon.empty()) {
      found.soc = name;
      found.hexagon = soc->hexagon;
      found.way = soc->way;
      found.is_qualcomm = true;
    }
  if (found.soc.empty() && !all.empty()) found.soc = all.front();
  if (const auto devices = meter::entries(host.root / "dev"))
    for (const std::string& name : *devices)
      if (name.starts_with("fastrpc-") || name.starts_with("adsprpc-smd") || name == "cdsprpc-smd")
        found.nodes.push_back(device_node(host, "dev/" + name));
  for (const char* const folder : {"vendor/lib64", "vendor/lib", "system/vendor/lib64", "usr/lib",
                                   "usr/lib64", "usr/lib/aarch64-linux-gnu", "usr/local/lib"})
    for (const char* const name : {"/libcdsprpc.so", "/libcdsprpc.so.1"}) {
      std::error_code unknown;
      if (std::filesystem::exists(host.root / (std::string(folder) + name), unknown))
        found.libraries.push_back("/" + std::string(folder) + name);
    }
  found.is_qualcomm = found.is_qualcomm || !found.nodes.empty() || !found.libraries.empty();
  return found;
}

std::vector<Finding> dsp_findings(const Host& host, const Dsps& dsps) {
  std::vector<Finding> findings;
  if (!dsps.is_qualcomm) return findings;
  const std::string chip = dsps.soc.empty() ? "This chip" : dsps.soc;
  if (dsps.way == Dsps::Way::kNotKnown)
    findings.push_back(
        {Severity::kNote,
         "unknown_dsp",
         "It is not known which Hexagon " + chip + " has, and which library runs models on it.",
         "Ask the maker for it; TensorFlow Lite's Hexagon delegate is for Hexagon 680 to "
         "698 (up to v66), Qualcomm's AI Engine Direct (QNN) for v66 and newer.",
         {}});
  if (dsps.way == Dsps::Way::kQnn)
    findings.push_back(
        {Severity::kWarning,
         "unsupported_dsp",
         chip + " has a " + dsps.hexagon +
             ", which TensorFlow Lite's Hexagon delegate does not know: it ends with v66.",
         "Take Qualcomm's delegate, of AI Engine Direct (QNN), for int8 models. edgeprobe was "
         "never "
         "tried with it.",
         {"edgeprobe check MODEL.tflite --engine tflite --delegate "
          "'external:libQnnTFLiteDelegate.so?backend_type=htp' --reference MODEL.tflite --data "
          "DATA"}});
  if (dsps.way == Dsps::Way::kTfliteHexagon)
    findings.push_back(
        {Severity::kNote,
         "tflite_dsp",
         chip + " has a " + dsps.hexagon +
             ", which TensorFlow Lite's Hexagon delegate is made for, with int8 "
             "models. It is not an external delegate, so edgeprobe cannot load it by "
             "itself.",
         "Measure it inside the app, with a probe (docs/guides/probe.md).",
         {}});
  if (dsps.nodes.empty())
    findings.push_back(
        {Severity::kProblem,
         "no_dsp_driver",
         "The kernel has no FastRPC: neither /dev/fastrpc-cdsp nor /dev/adsprpc-smd exists, so no "
         "program reaches the DSP.",
         "It comes with the maker's kernel, or with CONFIG_QCOM_FASTRPC and the DSP's "
         "firmware; see whether it was started:",
         {"cat /sys/class/remoteproc/remoteproc*/name /sys/class/remoteproc/remoteproc*/state"}});
  else if (std::none_of(dsps.nodes.begin(), dsps.nodes.end(),
                        [](const DeviceNode& node) { return node.may_open; }))
    findings.push_back(
        {Severity::kProblem,
         "dsp_not_permitted",
         dsps.nodes.front().path + " cannot be opened: " + dsps.nodes.front().reason + ".",
         "Give this user the right to read and write it (on Android apps get it by "
         "the system's policy, a shell of adb does not always):",
         {as_root(host, "chmod a+rw " + dsps.nodes.front().path)}});
  if (dsps.libraries.empty())
    findings.push_back(
        {Severity::kProblem,
         "no_dsp_library",
         "libcdsprpc.so, through which programs call the DSP, is missing.",
         host.is_android()
             ? "It comes with the system image. An app names it in its manifest: "
               "<uses-native-library android:name=\"libcdsprpc.so\"/>."
             : "Build it from github.com/qualcomm/fastrpc, or install the maker's package.",
         {}});
  return findings;
}

}  // namespace edgeprobe::processors
