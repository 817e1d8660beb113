// All public headers of the library, and a list of them: what a user of the library may include.
// They and what they include are installed, no other header is. docs/library.md says what each is
// for, and with which of gps::core, gps::experiments and gps::report it is linked.
#pragma once

// gps::core
#include "gps/benchmarks/benchmark.h"
#include "gps/core/errors.h"
#include "gps/core/option_table.h"
#include "gps/core/rng.h"
#include "gps/core/version.h"
#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/data/dataset.h"
#include "gps/data/task.h"
#include "gps/learners/learner.h"
#include "gps/learners/network_learner.h"
#include "gps/learners/replay_rows.h"
#include "gps/memory/build.h"
#include "gps/memory/decoded_rows.h"
#include "gps/memory/memory.h"
#include "gps/memory/plan.h"
#include "gps/nn/catalog.h"
#include "gps/nn/loss.h"
#include "gps/nn/network.h"
#include "gps/policies/catalog.h"
#include "gps/policies/policy.h"
#include "gps/policies/reservoir_sampler.h"
#include "gps/policies/watching.h"
#include "gps/simulation/global_sim.h"
#include "gps/simulation/gps_policy.h"
#include "gps/training/evaluate.h"
#include "gps/training/trainer.h"

// gps::experiments
#include "gps/experiments/result.h"
#include "gps/experiments/run.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/spec.h"
#include "gps/experiments/spec/spec_options.h"
#include "gps/experiments/store/store.h"

// gps::report
#include "gps/report/comparison.h"
#include "gps/report/page/page.h"
#include "gps/report/picture.h"
#include "gps/report/report.h"
#include "gps/report/tables/table.h"
