// SPDX-License-Identifier: Apache-2.0
// edgeprobe.hpp: edgeprobe.h for C++17. Header-only; link edgeprobe::edgeprobe or
// edgeprobe::edgeprobe_static.
//
//     edgeprobe::Probe probe("app.mcap", edgeprobe::Level::io);
//     auto frame = probe.frame();          frame.image("camera", rgb, height, width);
//     frame.start(interpreter);            interpreter->Invoke();
//     frame.stop(interpreter);
//
//     frame.answer(edgeprobe::Answer().labels(names).scores(probabilities));
//
// start() and stop() without an argument only measure the time; with edgeprobe/tflite.hpp or
// edgeprobe/onnxruntime.hpp included they also record the model's inputs and outputs.
//
// A probe must never break the application: no function throws, every function may be called on a
// probe that could not be opened (it does nothing and returns Status::off), and a frame that
// outlives its probe is harmless.
#pragma once

#include "edgeprobe/answer.hpp"
#include "edgeprobe/assertion.hpp"
#include "edgeprobe/frame.hpp"
#include "edgeprobe/probe.hpp"
#include "edgeprobe/tensor.hpp"
#include "edgeprobe/types.hpp"
