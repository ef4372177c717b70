// Every way of lceval to look at a run, and lcgen, on one run of each model: all work, and what one
// says of a run is what the others say of it.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

constexpr int kDumped = 300;
constexpr double kFloat32 = 1e-5;

const std::vector<std::string> kZoo = {"compressive", "infini", "vanilla", "xl"};

// Of all runs at once: exit code 0 and one object for each, in the order of their names.
Json answer_on_zoo(const Workplace& place, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--checkpoint", "runs"});
  Json json = json_of(place, arguments);
  if (!json.contains("runs")) return json;
  REQUIRE(json.at("runs").size() == kZoo.size());
  for (size_t i = 0; i < kZoo.size(); ++i) CHECK(json.at("runs")[i].at("name") == kZoo[i]);
  return json;
}

Json answer_on_run(const Workplace& place, const std::string& run,
                   std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--checkpoint", "runs/" + run});
  return json_of(place, arguments);
}

double nats_of(const Json& result) { return result.at("nats_per_token").get<double>(); }

// The losses of the first targets, as --dump-nll writes them.
std::vector<double> dumped_losses(const Workplace& place, const std::string& run) {
  const std::string file = run + "_nll.csv";
  answer_on_run(place, run, {"--tokens", std::to_string(kDumped), "--dump-nll", file});
  std::istringstream text(lctrain::bytes(place.path() / file));
  std::string line;
  std::getline(text, line);  // head
  std::vector<double> losses;
  while (std::getline(text, line)) losses.push_back(std::stod(line.substr(line.rfind(',') + 1)));
  REQUIRE(losses.size() == kDumped);
  return losses;
}

double mean_of_first(const std::vector<double>& losses, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += losses[static_cast<size_t>(i)];
  return sum / count;
}

void check_contexts(const Json& run, const Json& first_target, const std::vector<double>& losses) {
  const Json& points = run.at("contexts");
  REQUIRE(points.size() == 2);
  CHECK(run.at("tokens_scored") == 200);
  CHECK(points[0].at("mean_visible") == 1.0);
  CHECK(points[1].at("mean_visible") == 16.5);  // windows of 17, moved by 2
  CHECK(nats_of(points[0]) != nats_of(points[1]));
  // Where the text begins nothing stands before a window either.
  CHECK(nats_of(first_target.at("contexts")[0]) == Approx(losses[7]).epsilon(kFloat32));
}

void check_diagnosis(const Json& run, const std::vector<double>& losses) {
  CHECK(run.at("tokens_scored") == 200);
  CHECK(nats_of(run) == Approx(mean_of_first(losses, 200)).epsilon(kFloat32));
  if (run.at("name") == "vanilla") {
    CHECK(!run.contains("without_memory"));
  } else {
    CHECK(nats_of(run.at("without_memory")) != Approx(nats_of(run)).epsilon(1e-4));
  }
  if (run.at("name") == "infini") CHECK(run.at("measured").at("gate").size() == 2);
  if (run.at("name") == "compressive") {
    CHECK(run.at("measured").at("attention_reconstruction_mse").size() == 2);
  }
}

void check_dynamic(const Json& run, const std::vector<double>& losses) {
  CHECK(run.at("tokens_scored") == 100);
  const double plain = nats_of(run.at("dynamic").at("plain"));
  CHECK(plain == Approx(mean_of_first(losses, 100)).epsilon(kFloat32));
  CHECK(nats_of(run) < plain);
}

void check_slices(const Json& run, const std::vector<double>& losses) {
  double tokens = 0;
  double nats = 0;
  for (const Json& slice : run.at("slices")) {
    if (slice.at("tokens") == 0) continue;
    tokens += slice.at("tokens").get<double>();
    nats += slice.at("tokens").get<double>() * nats_of(slice);
  }
  CHECK(tokens == 300);
  CHECK(nats / 300 == Approx(mean_of_first(losses, 300)).epsilon(kFloat32));
}

// One of the model's own values: another one, and the one that it was trained with.
void check_sweep(const Workplace& place, const std::string& run, const std::string& axis,
                 const std::vector<double>& losses) {
  const Json swept = answer_on_run(place, run, {"--sweep", axis, "--tokens", "300"});
  REQUIRE(swept.at("sweep").size() == 2);
  for (const Json& cell : swept.at("sweep")) CHECK(cell.at("tokens_scored") == 300);
  const double trained = mean_of_first(losses, 300);
  CHECK(nats_of(swept.at("sweep")[0]) != Approx(trained).epsilon(kFloat32));
  CHECK(nats_of(swept.at("sweep")[1]) == Approx(trained).epsilon(kFloat32));
}

void check_speed(const Workplace& place, const std::string& run) {
  const Json speed =
      answer_on_run(place, run, {"speed", "--context", "16", "--repeat", "1", "--tokens", "32"});
  const Json& point = speed.at("speed").at(0);
  CHECK(point.at("targets") == 32);
  CHECK(point.at("sliding").at("inputs_per_token") == 17.0);
  if (run == "vanilla") {
    CHECK(speed.at("protocol").at("evaluation") == "windows");
  } else {
    CHECK(speed.at("protocol").at("evaluation") == "memory");
    CHECK(point.at("evaluation").at("inputs_per_token") == 1.0);
  }
}

void check_passkey(const Workplace& place, const std::string& run) {
  const Json passkey = answer_on_run(
      place, run,
      {"passkey", "--format", "toy", "--lengths", "64", "--depths", "0", "--samples", "2"});
  REQUIRE(passkey.at("cells").size() == 1);
  const Json& cell = passkey.at("cells")[0];
  CHECK(cell.at("samples") == 2);
  CHECK(cell.at("compressions") == 3.0);  // segments of 16
  CHECK(cell.at("memory_zeroed").is_null() == (run == "vanilla"));
}

// The page of all runs shows each of them under each of these headings.
void check_report(const Workplace& place, const std::vector<std::string>& headings) {
  const lctrain::Result made = run_lceval(place, {"report", "runs", "--out", "all.html"});
  INFO(made.err);
  REQUIRE(made.exit_code == 0);
  const std::string page = lctrain::bytes(place.path() / "all.html");
  CHECK(page.find("Report of 4 runs") != std::string::npos);
  for (const std::string& heading : headings) {
    CAPTURE(heading);
    const size_t begin = page.find("<h3>" + heading + "</h3>");
    REQUIRE(begin != std::string::npos);
    const size_t end = std::min(page.find("<h3>", begin + 1), page.find("<h2>", begin));
    const std::string section = page.substr(begin, end - begin);
    for (const std::string& run : kZoo) {
      CAPTURE(run);
      CHECK(section.find(">" + run + "</h4>") != std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("lceval scores a text in every way on every model, and its ways agree") {
  const Workplace place;
  train_zoo(place);
  std::map<std::string, std::vector<double>> losses;
  for (const std::string& run : kZoo) losses[run] = dumped_losses(place, run);

  const Json plain = answer_on_zoo(place, {"--tokens", "300"});
  const Json contexts = answer_on_zoo(place, {"--context", "0,16", "--tokens", "200"});
  const Json first = answer_on_zoo(place, {"--context", "7", "--tokens", "1"});
  const Json diagnoses = answer_on_zoo(place, {"--diagnose", "--tokens", "200"});
  const Json dynamic =
      answer_on_zoo(place, {"--dynamic", "sgd", "--dynamic-lr", "0.01", "--tokens", "100"});
  const Json slices = answer_on_zoo(place, {"slices", "--by", "frequency", "--tokens", "300"});
  for (const std::string& run : kZoo) {
    CAPTURE(run);
    const std::vector<double>& nll = losses.at(run);
    CHECK(run_named(plain, run).at("tokens_scored") == 300);
    CHECK(run_named(plain, run).at("protocol").at("chosen") == "best");
    CHECK(nats_of(run_named(plain, run)) == Approx(mean_of_first(nll, 300)).epsilon(kFloat32));
    check_contexts(run_named(contexts, run), run_named(first, run), nll);
    check_diagnosis(run_named(diagnoses, run), nll);
    check_dynamic(run_named(dynamic, run), nll);
    check_slices(run_named(slices, run), nll);
  }
  for (const std::string run : {"compressive", "infini", "vanilla"}) {
    CAPTURE(run);
    const Json pair = json_of(place, {"compare", "runs/" + run, "runs/xl", "--tokens", "200"});
    CHECK(pair.at("a").at("tokens_scored") == 200);
    CHECK(pair.at("b").at("tokens_scored") == 200);
    CHECK(nats_of(pair.at("difference")) ==
          Approx(mean_of_first(losses.at(run), 200) - mean_of_first(losses.at("xl"), 200))
              .margin(kFloat32));
  }

  check_sweep(place, "compressive", "compressed=4,12", losses.at("compressive"));
  check_sweep(place, "infini", "clamp=2,null", losses.at("infini"));
  check_sweep(place, "vanilla", "span=4,16", losses.at("vanilla"));
  check_sweep(place, "xl", "memory=8,24", losses.at("xl"));
  check_report(place, {"valid other", "valid other context strict", "valid other dynamic",
                       "valid other slices frequency", "valid other sweep"});
}

TEST_CASE("lceval scores records on every model, each from initial memory") {
  const Workplace place;
  train_zoo(place);
  const std::string again = "the river runs under a stone, then west.";
  write(place.path() / "lines.txt", again + "\nbridge and bridge and bridge\n\n" + again + "\n");
  for (const std::string& run : kZoo) {
    CAPTURE(run);
    const lctrain::Result result = run_lceval(
        place, {"--checkpoint", "runs/" + run, "--data", "lines.txt", "--records", "lines"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    std::istringstream lines(result.out);
    std::vector<Json> records;
    for (std::string line; std::getline(lines, line);) records.push_back(Json::parse(line));
    REQUIRE(records.size() == 3);
    CHECK(records[0].at("tokens_scored") == again.size() - 1);
    CHECK(records[1].at("tokens_scored") == 27);
    CHECK(records[2].at("record") == 4);
    CHECK(nats_of(records[2]) == Approx(nats_of(records[0])).epsilon(kFloat32));
    CHECK(nats_of(records[1]) != Approx(nats_of(records[0])).epsilon(kFloat32));
  }
}

TEST_CASE("a CR before a line's end is part of no record, which isn't warned of") {
  const Workplace place;
  train_vanilla(place);
  write(place.path() / "lines.txt", "the river\r\n\r\nunder a stone\r\n");
  const lctrain::Result lines = run_lceval(
      place, {"--checkpoint", "runs/vanilla", "--data", "lines.txt", "--records", "lines"});
  REQUIRE(lines.exit_code == 0);
  CHECK(lines.err.find("CR LF") == std::string::npos);
  CHECK(lines.out.find("\"tokens_total\":9,") != std::string::npos);
  CHECK(lines.out.find("\"tokens_total\":13,") != std::string::npos);
  const lctrain::Result whole =
      run_lceval(place, {"--checkpoint", "runs/vanilla", "--data", "lines.txt"});
  CHECK(whole.err.find("CR LF line ends, which are kept") != std::string::npos);
}

TEST_CASE("lceval's verbs about memory take every model") {
  const Workplace place;
  train_zoo(place);
  const Json together =
      answer_on_zoo(place, {"recl", "--step", "8", "--longest", "16", "--tokens", "20"});
  REQUIRE(together.at("groups")[0].at("runs").size() == 4);
  for (const Json& run : together.at("groups")[0].at("runs")) {
    CAPTURE(run.at("name"));
    const Json& all_targets = run.at("lengths").back();
    CHECK(all_targets.at("targets") == 20);
    CHECK(all_targets.at("at_least") == (all_targets.at("effective_context") == 16));
  }
  // Alone in its group and on one target, what a run gains is what its two losses say.
  const Json alone = answer_on_zoo(
      place, {"recl", "--step", "8", "--longest", "16", "--tokens", "1", "--shares", "1", "--group",
              "a=compressive", "--group", "b=infini", "--group", "c=vanilla", "--group", "d=xl"});
  const Json contexts = answer_on_zoo(place, {"--context", "7,15", "--tokens", "1"});
  for (size_t i = 0; i < kZoo.size(); ++i) {
    CAPTURE(kZoo[i]);
    const Json& run = alone.at("groups")[i].at("runs")[0];
    CHECK(run.at("name") == kZoo[i]);
    const Json& points = run_named(contexts, kZoo[i]).at("contexts");
    const double gained = std::max(0.0, nats_of(points[0]) - nats_of(points[1]));
    CHECK(run.at("lengths")[0].at("gains")[0].at("gain").get<double>() ==
          Approx(1 - std::exp(-gained)).margin(kFloat32));
  }

  const Json attention = answer_on_zoo(place, {"attention", "--tokens", "100"});
  for (const std::string& run : kZoo) {
    CAPTURE(run);
    CHECK(run_named(attention, run).at("queries") == 100);
    REQUIRE(run_named(attention, run).at("layers").size() == 2);
    for (const Json& layer : run_named(attention, run).at("layers")) {
      double mass = 0;
      for (const Json& bucket : layer.at("mass")) mass += bucket.get<double>();
      CHECK(mass == Approx(1).epsilon(kFloat32));
    }
    check_speed(place, run);
    check_passkey(place, run);
  }
  check_report(place, {"valid other attention", "valid other speed", "passkey toy"});
}

TEST_CASE("lcgen goes on with a text that is given back as it would have, with every model") {
  const Workplace place;
  train_zoo(place);
  const std::string prompt = "the river runs under a stone";  // ends inside the second segment
  for (const std::string& run : kZoo) {
    CAPTURE(run);
    const auto ids_after = [&](const Json& begun, int tokens) {
      std::string text = prompt;
      for (const Json& id : begun) text += static_cast<char>(id.get<int>());
      write(place.path() / "prompt.txt", text);
      const lctrain::Result result =
          run_program(place, "lcgen",
                      {"--checkpoint", "runs/" + run, "--prompt-file", "prompt.txt", "--tokens",
                       std::to_string(tokens), "--seed", "5", "--json"});
      INFO(result.err);
      REQUIRE(result.exit_code == 0);
      return Json::parse(result.out).at("token_ids");
    };
    const Json whole = ids_after(Json::array(), 40);
    REQUIRE(whole.size() == 40);
    const Json begun(Json::array_t(whole.begin(), whole.begin() + 13));
    CHECK(ids_after(begun, 27) == Json(Json::array_t(whole.begin() + 13, whole.end())));
  }
}

}  // namespace lceval
