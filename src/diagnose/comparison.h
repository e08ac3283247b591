// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/outputs/agreement.h"
#include "diagnose/case/case.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Two recordings as a verdict without a search for causes: layers, answers, frames and recorded
/// inputs. The caller sets the outcome and the headline. `floor`: the output distance above which a
/// frame differs. Fails if a trace does.
Result<Verdict> comparison(const Case& known, compare::Agreement agreement, double floor);

/// The verdict of a check that ended early: what the two recordings have in common, undecided and
/// without causes. The user's metric is left out: its process may have ended, too. Fails if a trace
/// does, or if they have no frame in common.
Result<Verdict> cut_short(const Case& known, CutShort why);

}  // namespace edgeprobe::diagnose
