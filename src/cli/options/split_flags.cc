// SPDX-License-Identifier: Apache-2.0
#include "cli/options/split_flags.h"

#include <algorithm>
#include <charconv>

#include "cli/options/values.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

Result<dataset::SplitOptions> split_options(const SplitFlags& flags) {
  dataset::SplitOptions options;
  if (!flags.test.empty()) {
    EP_TRY(options.test, share_from_text(flags.test, "--split-fraction-test"));
  }
  if (!flags.validation.empty()) {
    EP_TRY(options.validation, share_from_text(flags.validation, "--split-fraction-val"));
  }
  if (!flags.seed.empty()) {
    const char* const end = flags.seed.data() + flags.seed.size();
    const auto [at, failure] = std::from_chars(flags.seed.data(), end, options.seed);
    if (failure != std::errc{} || at != end)
      return Error{ErrorKind::kUsage, "--split-seed '" + sanitized(flags.seed, 60) +
                                          "': expected a whole number from 0 to 2^64 - 1"};
  }
  return options;
}

bool are_assigned(const std::vector<dataset::Sample>& samples) {
  return std::any_of(samples.begin(), samples.end(),
                     [](const dataset::Sample& sample) { return sample.part.has_value(); });
}

}  // namespace

bool SplitFlags::is_given() const { return has_shares() || (!part.empty() && part != "all"); }

void add_split(Parser& parser, SplitFlags& flags) {
  const dataset::SplitOptions usual;
  parser
      .option("--split", flags.part,
              "The part of --data to use: train, validation, test or all. Parts are stratified by "
              "class and depend only on the samples' content and the seed (default: all; with a "
              "share, test)")
      .one_of({"train", "validation", "test", "all"});
  parser.option("--split-fraction-test", flags.test,
                "Share of the test, e.g. 0.25 or 25% (default: " + number(usual.test) +
                    ", or as the data set's own lists say)");
  parser.option("--split-fraction-val", flags.validation,
                "Share of validation (default: " + number(usual.validation) + ")");
  parser.option("--split-seed", flags.seed,
                "Another whole number parts the samples differently (default: " +
                    std::to_string(usual.seed) + ")");
}

Result<std::optional<dataset::Part>> part_from(const SplitFlags& flags) {
  if (flags.part == "all" && flags.has_shares())
    return Error{ErrorKind::kUsage,
                 "--split all takes every sample, and shares part them: give one of the two"};
  if (!flags.is_given()) return std::optional<dataset::Part>{};
  if (flags.part.empty()) return std::optional{dataset::Part::kTest};
  for (const auto part : {dataset::Part::kTrain, dataset::Part::kValidation, dataset::Part::kTest})
    if (flags.part == name(part)) return std::optional{part};
  return Error{ErrorKind::kUsage, "--split '" + sanitized(flags.part, 60) +
                                      "': expected train, validation, test or all"};
}

Result<dataset::Parts> parts_of(const std::vector<dataset::Sample>& samples,
                                const SplitFlags& flags, std::vector<std::string>* notes,
                                const Control& control) {
  EP_TRY(const auto options, split_options(flags));
  const bool assigned = !flags.has_shares() && are_assigned(samples);
  auto parts = assigned ? dataset::given_parts(samples) : dataset::split(samples, options, control);
  if (!parts) return std::move(parts.error()).during("--split");
  if (!notes) return parts;
  if (const auto& lost = parts->unreadable; !lost.empty())
    notes->push_back(std::to_string(lost.size()) + " of " + std::to_string(samples.size()) +
                     " samples cannot be read and belong to no part: " +
                     sanitized(lost.front().why, 300) + (lost.size() > 1 ? "; …" : ""));
  notes->insert(notes->end(), parts->notes.begin(), parts->notes.end());
  return parts;
}

}  // namespace edgeprobe::cli
