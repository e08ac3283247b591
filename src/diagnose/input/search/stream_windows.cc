// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/search/stream_windows.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/case/counterfactual.h"
#include "diagnose/input/extent.h"
#include "diagnose/input/tensor_inputs.h"
#include "diagnose/stream/findings.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kMostWindows = 4000, kMostValues = std::size_t{1} << 25;
/// Minimum for recorded tensors, which have no recipe: anything could explain fewer windows.
constexpr std::size_t kFewestWindows = 4;
/// Fraction of the value range by which two front ends of the same convention differ.
constexpr double kSameReal = 2e-5;

std::vector<float> in_rows(std::vector<float> values, const InputRows& how) {
  if (!how.columns_first) return values;
  std::vector<float> out(values.size());
  for (std::size_t t = 0; t < how.rows; ++t)
    for (std::size_t c = 0; c < how.columns; ++c)
      out[t * how.columns + c] = values[c * how.rows + t];
  return out;
}

Result<std::vector<float>> values_of(const trace::Reader& reader, const trace::ReadChannel& channel,
                                     std::uint32_t frame) {
  EP_TRY(const auto message, reader.read(frame, channel.id));
  if (!message) return std::vector<float>{};
  return to_float(*message);
}

struct Read {
  stream::Windows windows;
  bool begins_known = false;
};

/// One input on both sides; null if a side lacks it.
struct Sides {
  const trace::ReadChannel *target = nullptr, *reference = nullptr;
};

Result<Read> windows_of(const Study& study, const Sides& sides, const InputRows& how,
                        const Control& control) {
  const Case& known = study.known;
  const auto [target, reference] = sides;
  Read read;
  stream::Windows& windows = read.windows;
  windows.rows = how.rows;
  windows.columns = how.columns;
  const auto& pairs = study.agreement.frames;
  const std::size_t each = how.rows * how.columns;
  if (!target || !reference || each == 0 || pairs.size() > kMostWindows ||
      pairs.size() * each > kMostValues)
    return read;
  std::vector<std::uint32_t> begins;
  for (const trace::FrameRecord& record : known.target->records())
    if (record.begins_sequence) begins.push_back(record.frame);
  for (std::size_t i = 1; known.raw && i < known.raw->samples.size(); ++i)
    if (known.raw->samples[i].begins_sequence) begins.push_back(known.raw->frames[i]);
  read.begins_known = !begins.empty();
  std::sort(begins.begin(), begins.end());
  float low = 0, high = 0;
  for (const compare::FrameAgreement& pair : pairs) {
    if (control.stopped()) return interrupted();
    EP_TRY(auto fed, values_of(*known.target, *target, pair.target));
    EP_TRY(auto wanted, values_of(*known.reference, *reference, pair.reference));
    if (fed.size() != each || wanted.size() != each) continue;
    for (const float value : wanted) low = std::min(low, value), high = std::max(high, value);
    windows.all.push_back({pair.target,
                           std::binary_search(begins.begin(), begins.end(), pair.target),
                           in_rows(std::move(wanted), how), in_rows(std::move(fed), how)});
  }
  std::sort(windows.all.begin(), windows.all.end(),
            [](const auto& a, const auto& b) { return a.frame < b.frame; });
  windows.same = kSameReal * (static_cast<double>(high) - static_cast<double>(low));
  for (const trace::ReadChannel* side : {target, reference})
    if (side->channel.spec.quantization.scale.size() == 1)
      windows.same = std::max(windows.same,
                              1.01 * static_cast<double>(side->channel.spec.quantization.scale[0]));
  return read;
}

/// "64 steps", "1 step".
std::string count_of(long n, const std::string& words) {
  return std::to_string(n) + " " + (n == 1 ? words.substr(0, words.size() - 1) : words);
}

/// "64 steps (one window)".
std::string rows_text(long rows, const stream::Findings& found, const char* word) {
  const long n = std::abs(rows);
  std::string text = count_of(n, word);
  if (found.hop > 0 && n % found.hop == 0)
    text += n == found.hop ? " (one window)" : " (" + std::to_string(n / found.hop) + " windows)";
  return text;
}

std::string described(const stream::Finding& finding, const stream::Findings& found,
                      const stream::Windows& windows, const char* word) {
  const std::string first =
      "; first at frame " + std::to_string(windows.all[finding.windows.front()].frame);
  const std::string some = finding.windows.size() == windows.all.size()
                               ? ""
                               : "in " + std::to_string(finding.windows.size()) + " of " +
                                     std::to_string(windows.all.size()) + " frames ";
  const std::string rows =
      finding.varies() && finding.kind != stream::Kind::kStale
          ? std::to_string(finding.least) + " to " + rows_text(finding.most, found, word)
          : rows_text(finding.rows, found, word);
  switch (finding.kind) {
    case stream::Kind::kHop:
      return "the app's windows move on by " + count_of(finding.rows, word) +
             "; the reference's by " + std::to_string(found.hop) + first;
    case stream::Kind::kLate:
      return "every window of the app is " + rows + (finding.rows < 0 ? " before" : " after") +
             " the reference's" + first;
    case stream::Kind::kStale:
      if (finding.varies())
        return some + "the app feeds windows from elsewhere in the stream, by up to " +
               rows_text(finding.most, found, word) + first;
      return some + "the app feeds a window that is " + rows +
             (finding.rows < 0 ? " before" : " after") + " its own" + first;
    case stream::Kind::kDropped:
      return some + "the app's stream lacks " + rows + " that the reference's has" + first;
    case stream::Kind::kRepeated: return some + "the app's stream has " + rows + " twice" + first;
    case stream::Kind::kExchanged:
      return some + "pieces of the app's stream, " + rows + " apart, are in each other's place" +
             first;
    case stream::Kind::kHalfWritten:
      return some + "the app feeds parts of two windows at once: rows " +
             std::to_string(finding.row) + " to " + std::to_string(finding.end - 1) +
             " contain what is " + rows + (finding.rows < 0 ? " before" : " after") + first;
    case stream::Kind::kNoContext:
      return some + "the first " + count_of(static_cast<long>(finding.row), word) +
             " of the app's windows are zeros; the reference's are what came before" + first;
    case stream::Kind::kThinned:
      return some + "the app's stream " + (finding.rows > 0 ? "lacks " : "has ") + rows +
             (finding.rows > 0 ? " of the reference's" : " twice") + " after every " +
             count_of(static_cast<long>(finding.row), word) + first;
  }
  return "";
}

/// Indices of windows that a finding explains, ascending.
std::vector<std::size_t> explained_by(const stream::Findings& found) {
  std::vector<std::size_t> explained;
  for (const stream::Finding& finding : found.all)
    explained.insert(explained.end(), finding.windows.begin(), finding.windows.end());
  std::sort(explained.begin(), explained.end());
  explained.erase(std::unique(explained.begin(), explained.end()), explained.end());
  return explained;
}

CauseKind kind_of(const stream::Finding& finding) {
  const bool of_all = finding.kind == stream::Kind::kHop || finding.kind == stream::Kind::kLate;
  return of_all ? CauseKind::kWindow : CauseKind::kOtherFrame;
}

std::string without_beginnings(const stream::Windows& windows, const stream::Findings& found,
                               const char* word) {
  return "at frame " + std::to_string(windows.all[found.breaks.front()].frame) +
         " the recorded stream itself does not go on: without beginnings of sequences a new one "
         "cannot be distinguished from " +
         word + " that were lost before they were recorded (mark them: begin_sequence)";
}

/// Possible layouts of rows in time order for this shape, the usual one first.
std::vector<InputRows> layouts_of(const Shape& shape) {
  std::vector<std::size_t> dims;
  for (const std::int64_t dim : shape)
    if (dim > 1) dims.push_back(static_cast<std::size_t>(dim));
  if (dims.empty()) return {};
  if (dims.size() == 1) return {{dims[0], 1, false, "values"}};
  std::size_t rest = 1;
  for (std::size_t i = 1; i < dims.size(); ++i) rest *= dims[i];
  std::vector<InputRows> layouts{{dims[0], rest, false, "rows"}};
  const std::size_t last = dims.back();
  layouts.push_back({last, dims[0] * rest / last, true, "columns"});
  return layouts;
}

double rms_apart(const stream::Window& window) {
  double sum = 0;
  for (std::size_t i = 0; i < window.fed.size(); ++i) {
    const double apart = static_cast<double>(window.fed[i]) - window.wanted[i];
    sum += apart * apart;
  }
  return std::sqrt(sum / static_cast<double>(window.fed.size()));
}

}  // namespace

Result<std::optional<InputEvidence>> stream_windows(const Study& study, const InputRows& how,
                                                    const Control& control) {
  const double unit = gray_step(study);
  const Sides sides{study.input.target, study.input.reference};
  EP_TRY(const auto read, windows_of(study, sides, how, control));
  const stream::Windows& windows = read.windows;
  if (unit <= 0 || windows.all.size() < 2) return std::optional<InputEvidence>();
  const stream::Findings found = stream::findings_of(windows);
  const std::vector<std::size_t> explained = explained_by(found);
  if (explained.empty() || explained.size() < found.unexplained.size())
    return std::optional<InputEvidence>();
  InputEvidence evidence;
  InputDiagnosis diagnosis;
  diagnosis.status = InputDiagnosis::Status::kFound;
  diagnosis.as_recorded = true;
  diagnosis.gray_step = unit;
  diagnosis.frames_used = windows.all.size();
  diagnosis.frames_agreeing = explained.size();
  double squares = 0;
  for (const std::size_t i : explained) {
    const double apart = rms_apart(windows.all[i]) / unit;
    squares += apart * apart;
  }
  diagnosis.residual_before = std::sqrt(squares / static_cast<double>(explained.size()));
  for (const stream::Finding& finding : found.all) {
    InputFault fault;
    fault.kind = kind_of(finding);
    fault.detail = described(finding, found, windows, how.word);
    double own = 0;
    for (const std::size_t i : finding.windows)
      own += std::pow(rms_apart(windows.all[i]) / unit, 2);
    fault.contribution = std::sqrt(own / static_cast<double>(finding.windows.size()));
    if (!found.breaks.empty() && !read.begins_known)
      fault.alternatives.push_back(without_beginnings(windows, found, how.word));
    diagnosis.faults.push_back(std::move(fault));
  }
  evidence.diagnosis = std::move(diagnosis);
  for (std::size_t i = 0; i < windows.all.size(); ++i)
    if (!std::binary_search(explained.begin(), explained.end(), i))
      evidence.not_with.push_back(windows.all[i].frame);
  if (!found.unexplained.empty())
    evidence.otherwise = "in " + std::to_string(found.unexplained.size()) + " of " +
                         std::to_string(windows.all.size()) +
                         " frames the model input differs in another way, as at frame " +
                         std::to_string(windows.all[found.unexplained.front()].frame);
  return std::optional(std::move(evidence));
}

Result<std::vector<StreamFault>> stream_faults(const Study& study, const std::string& target_name,
                                               const std::string& name, const Control& control) {
  const Sides sides{input_of(*study.known.target, target_name),
                    input_of(*study.known.reference, name)};
  std::vector<StreamFault> told;
  if (!sides.target || !sides.reference) return told;
  std::size_t most = 0;
  for (const InputRows& how : layouts_of(sides.reference->channel.spec.shape)) {
    EP_TRY(const auto read, windows_of(study, sides, how, control));
    const stream::Windows& windows = read.windows;
    if (windows.all.size() < kFewestWindows) continue;
    const stream::Findings found = stream::findings_of(windows);
    const std::size_t explained = explained_by(found).size();
    if (!found.unexplained.empty() || explained <= most) continue;
    most = explained;
    told.clear();
    for (const stream::Finding& finding : found.all) {
      StreamFault fault{kind_of(finding),
                        described(finding, found, windows, how.word),
                        {},
                        found.hop < static_cast<long>(windows.rows)};
      if (!found.breaks.empty() && !read.begins_known)
        fault.alternatives.push_back(without_beginnings(windows, found, how.word));
      told.push_back(std::move(fault));
    }
  }
  return told;
}

Result<InputEvidence> or_by_stream(const Study& study, InputDiagnosis found, const InputRows& how,
                                   const Control& control) {
  // Only some frames were searched; if those are equal, others may differ.
  if (found.status != InputDiagnosis::Status::kFound) {
    EP_TRY(auto other, stream_windows(study, how, control));
    if (other) return *std::move(other);
  }
  InputEvidence evidence;
  evidence.diagnosis = std::move(found);
  return evidence;
}

}  // namespace edgeprobe::diagnose
