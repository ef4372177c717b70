// Flags for what may be set anew when a trained model is used: --memory, --span, --clamp ...
//
// Each runtime row that some model of the registry lists is a flag; its help is that of the rows.
#pragma once

#include <functional>

#include "config/option_table.h"
#include "eval/evaluation_model.h"

namespace CLI {
class App;
}

namespace lc {

// Values that are given go to values, which outlives app. Whether the run's model has such a flag,
// and takes the value, is for with_runtime_values() to say.
void add_runtime_flags(CLI::App& app, const OptionTable& table, RuntimeValues& values);

// Does the work; a refusal of one of these values names the flag that gave it, "--memory".
void naming_flags(const RuntimeValues& values, const std::function<void()>& work);

}  // namespace lc
