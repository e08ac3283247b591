// SPDX-License-Identifier: Apache-2.0
#include "why/answer.h"

#include <string_view>

namespace edgeprobe::why {

Answer agreed(std::string headline) {
  Answer out;
  out.outcome = diagnose::Outcome::kAgrees;
  out.headline = std::move(headline);
  return out;
}

Answer undecided(std::string headline, std::string would_decide) {
  Answer out;
  out.headline = std::move(headline);
  if (!would_decide.empty()) out.would_decide.push_back(std::move(would_decide));
  return out;
}

Answer named(diagnose::CauseKind kind, std::string detail, const Left& left) {
  Answer out;
  out.outcome = diagnose::Outcome::kDiffers;
  diagnose::Cause cause;
  cause.kind = kind;
  cause.status = diagnose::CauseStatus::kConfirmed;
  cause.detail = std::move(detail);
  cause.explained_variance = left.explained;
  out.causes.push_back(std::move(cause));
  out.left = left;
  return out;
}

std::string exchanged(const std::string& text) {
  constexpr std::string_view kApp = "the app", kReference = "the reference";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, kReference.size(), kReference) == 0) {
      out += kApp;
      at += kReference.size();
    } else if (text.compare(at, kApp.size(), kApp) == 0) {
      out += kReference;
      at += kApp.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace edgeprobe::why
