// The speed of evaluation as people and programs read it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eval/speed.h"
#include "report/file_place.h"
#include "report/svg/plot.h"

namespace lc {

// One row a context: milliseconds of processor time a token, how many times slower sliding is, by
// theory too, and the losses of both.
std::string speed_table(const SpeedTest& test);

// context, targets, then the keys of both ways with "evaluation_" and "sliding_" before them, then
// the ratios.
std::string speed_csv(const SpeedTest& test);

// How many times slower sliding is, measured and in theory. name: of the run.
Plot speed_plot(const SpeedTest& test, const std::string& name);

// BEGIN_speed.json, .csv and .svg; the folder is made if absent. Returns the files written.
std::vector<std::filesystem::path> write_speed(const SpeedTest& test, const std::string& name,
                                               const FilePlace& place);

}  // namespace lc
