// The files that lceval writes into a run's own folder: of the run as it was trained, and of all
// else.
#include <map>
#include <set>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

using Arguments = std::vector<std::string>;

// Everything that writes files of one run.
const std::vector<Arguments> kEvaluations = {
    {"--diagnose"},
    {"--context", "0,8"},
    {"--sweep", "memory=8,24"},
    {"--dynamic", "sgd", "--dynamic-lr", "0.01"},
    {"slices", "--by", "position"},
    {"attention"},
    {"recl", "--step", "8", "--longest", "16", "--context-mode", "span"},
    {"speed", "--context", "8", "--repeat", "1"},
    {"passkey", "--format", "toy", "--lengths", "64", "--depths", "0", "--samples", "1"}};

void evaluate(const Workplace& place, Arguments arguments, const Arguments& flags) {
  arguments.insert(arguments.end(), {"--checkpoint", "runs/xl"});
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const lctrain::Result result = run_lceval(place, arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
}

// The content of each file, by name.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = lctrain::bytes(entry.path());
  }
  return files;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& [name, content] : files_in(folder)) names.insert(name);
  return names;
}

// "valid_sweep.csv" -> "valid_other_sweep.csv".
std::string other_name(const std::string& name) {
  const size_t end = name.find_first_of("_.");
  return name.substr(0, end) + "_other" + name.substr(end);
}

}  // namespace

TEST_CASE("Evaluations that aren't of the run as it was trained write over none that are") {
  const Workplace place;
  train_xl(place);
  const fs::path eval = place.run("xl") / "eval";
  for (const Arguments& arguments : kEvaluations) evaluate(place, arguments, {});
  const auto own = files_in(eval);
  for (const char* name :
       {"valid.json", "valid_diagnosis.csv", "valid_context_strict.svg", "valid_sweep.csv",
        "valid_dynamic.json", "valid_slices_position.json", "valid_attention.svg",
        "valid_recl_span.json", "valid_speed.csv", "passkey_toy.svg"}) {
    CAPTURE(name);
    CHECK(own.contains(name));
  }
  std::set<std::string> all_names;
  for (const auto& [name, content] : own) all_names.insert({name, other_name(name)});

  for (const Arguments& arguments : kEvaluations) evaluate(place, arguments, {"--segment", "8"});
  CHECK(names_in(eval) == all_names);
  const auto both = files_in(eval);
  for (const auto& [name, content] : own) {
    CAPTURE(name);
    CHECK((both.at(name) == content));
  }

  const lctrain::Result page = run_lceval(place, {"report", "runs/xl", "--out", "page.html"});
  INFO(page.err);
  CHECK(page.exit_code == 0);
  const std::string html = lctrain::bytes(place.path() / "page.html");
  for (const char* title : {"valid", "valid other", "valid sweep", "valid other sweep",
                            "valid other recl span", "passkey toy", "passkey other toy"}) {
    CAPTURE(title);
    CHECK(html.find("<h3>" + std::string(title) + "</h3>") != std::string::npos);
  }
}

TEST_CASE("Flags that say what a run is anyway leave an evaluation that of the run as trained") {
  const Workplace place;
  train_xl(place);
  const auto names_with = [&](const Arguments& flags) {
    fs::remove_all(place.run("xl") / "eval");
    evaluate(place, {"slices", "--by", "position"}, flags);
    return names_in(place.run("xl") / "eval");
  };
  const std::set<std::string> own = {"valid_slices_position.json", "valid_slices_position.csv",
                                     "valid_slices_position.svg"};
  CHECK(names_with({"--segment", "16", "--precision", "float32", "--memory", "24", "--set",
                    "data.boundaries=stream", "--lanes", "2"}) == own);
  std::set<std::string> others;
  for (const std::string& name : own) others.insert(other_name(name));
  for (const Arguments& flags :
       {Arguments{"--precision", "float64"}, {"--memory", "25"}, {"--tokens", "100"}}) {
    CAPTURE(flags);
    CHECK(names_with(flags) == others);
  }
}

}  // namespace lceval
