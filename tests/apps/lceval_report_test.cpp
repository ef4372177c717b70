// lceval attention, --diagnose --plot and report on runs that lctrain has just trained.
#include <sstream>

#include "apps/lceval_process.h"
#include "catch.h"
#include "report/html/text.h"

namespace lceval {
namespace {

void train_short(const Workplace& place, const std::string& type) {
  Json config = place.config(type);
  config["model"]["type"] = type;
  config["model"]["compressive"] = {{"memory_length", 24}, {"compressed_length", 12}, {"rate", 4}};
  config["train"]["steps"] = 6;
  config["eval"]["every"] = 3;
  config["log"]["every"] = 2;
  train(place, type, config);
}

double sum_of(const Json& numbers) {
  double sum = 0;
  for (const Json& number : numbers) sum += number.get<double>();
  return sum;
}

}  // namespace

TEST_CASE("lceval attention tells how much goes where, for every model") {
  const Workplace place;
  for (const char* type : {"transformer_xl", "vanilla", "compressive", "infini"}) {
    train_short(place, type);
  }
  const Json json = json_of(place, {"attention", "--checkpoint", "runs", "--tokens", "500", "--csv",
                                    "mass.csv", "--plot", "mass.svg"});
  REQUIRE(json.at("runs").size() == 4);
  const std::vector<size_t> buckets = {18, 7, 12, 6};  // by name of the run
  for (size_t i = 0; i < 4; ++i) {
    const Json& run = json.at("runs")[i];
    CAPTURE(run.at("name"));
    CHECK(run.at("queries") == 500);
    CHECK(run.at("buckets").size() == buckets[i]);
    REQUIRE(run.at("layers").size() == 2);
    for (const Json& layer : run.at("layers")) {
      CHECK(sum_of(layer.at("mass")) == Approx(1).margin(1e-5));
    }
    CHECK(run.at("protocol").at("split") == "valid");
    CHECK(run.at("protocol").at("buckets") == 6);
  }
  CHECK(json.at("runs")[0].at("buckets")[0].at("kind") == "compressed");
  CHECK(json.at("runs")[1].at("buckets")[0].at("kind") == "associative");
  CHECK(fs::exists(place.run("compressive") / "eval" / "valid_other_attention.svg"));
  CHECK(fs::exists(place.path() / "mass.csv"));
  CHECK(lctrain::bytes(place.path() / "mass.svg").find("compressive: mean over layers") !=
        std::string::npos);

  const lctrain::Result table = run_lceval(
      place,
      {"attention", "--checkpoint", "runs/transformer_xl", "--buckets", "2", "--memory", "8"});
  INFO(table.err);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("memory        1  -8 to -5") != std::string::npos);
  CHECK(table.out.find("\nprotocol of transformer_xl: ") != std::string::npos);

  refusal(place, 2, {"attention"});
  refusal(place, 2, {"attention", "--checkpoint", "runs/vanilla", "--buckets", "0"});
  refusal(place, 2, {"attention", "--checkpoint", "runs/vanilla", "--context", "0,4"});
  refusal(place, 2, {"attention", "--checkpoint", "runs/compressive", "--segment", "18"});
  refusal(place, 3, {"attention", "--checkpoint", "runs/absent"});
}

TEST_CASE("lceval report makes one page of runs and what was found out about them") {
  const Workplace place;
  train_short(place, "compressive");
  train_short(place, "infini");
  const std::vector<std::string> both = {"--checkpoint", "runs/compressive", "--checkpoint",
                                         "runs/infini"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), both.begin(), both.end());
    const lctrain::Result result = run_lceval(place, more);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return result;
  };
  with({"--tokens", "300", "--diagnose", "--plot", "measured.svg", "--csv", "measured.csv"});
  with({"--context", "0,8,16", "--tokens", "200"});
  with({"attention", "--tokens", "200"});
  const fs::path eval = place.run("infini") / "eval";
  CHECK(fs::exists(eval / "valid_other_diagnosis.svg"));
  CHECK(lctrain::bytes(place.path() / "measured.csv").rfind("run,measured,layer,", 0) == 0);
  CHECK(lctrain::bytes(eval / "valid_other.csv").rfind("run,step,split,", 0) == 0);
  const std::string drawn = lctrain::bytes(place.path() / "measured.svg");
  CHECK(drawn.find("compressive: attention reconstruc") != std::string::npos);
  CHECK(drawn.find("infini: gate, layer 1") != std::string::npos);

  write(eval / "other.json", "{\"finding\": [{\"name\": \"<b>\", \"value\": 0.25}]}");
  write(eval / "broken.json", "{");
  write(eval / "broken.svg", "no image");
  fs::create_symlink("loop.json", eval / "loop.json");
  fs::create_symlink("nowhere.svg", eval / "lost.svg");
  fs::create_directory(eval / "folder.json");
  write(eval / "deep.json", std::string(100000, '[') + std::string(100000, ']'));
  const lctrain::Result made = run_lceval(place, {"report", "runs", "--out", "pages/all.html"});
  INFO(made.err);
  CHECK(made.exit_code == 0);
  CHECK(made.out.empty());
  const std::string page = lctrain::bytes(place.path() / "pages" / "all.html");
  for (const char* text :
       {"Report of 2 runs", "valid other context strict", "valid other attention",
        "valid other diagnosis", "model.type",
        "lceval --context 0,8,16 --tokens 200 --checkpoint runs/compressive", "<td>&lt;b&gt;</td>",
        "eval/broken.json: is no JSON that lceval or lctrain wrote",
        "eval/broken.svg: is no SVG image",
        "eval/deep.json: is no JSON that lceval or lctrain wrote", "eval/loop.json: can't be read",
        "eval/lost.svg: can't be read", "Auxiliary losses"}) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  }
  CHECK(page.find("<b>") == std::string::npos);

  const lctrain::Result one = run_lceval(place, {"report", "runs/infini"});
  CHECK(one.exit_code == 0);
  CHECK(lctrain::bytes(place.path() / "report.html").find("Report of infini") != std::string::npos);
  refusal(place, 2, {"report"});
  refusal(place, 2, {"report", "runs/infini", "--json"});
  refusal(place, 3, {"report", "runs/absent"});
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  // A run's config can be neither left out nor made again.
  const auto refused_config = [&](const std::string& content) {
    write(place.run("infini") / "config.json", content);
    const std::string message = refusal(place, 3, {"report", "runs/infini"});
    CHECK(message.find("infini/config.json: is ") != std::string::npos);
    CHECK(message.find("; put the run's own config.json back, or name other runs") !=
          std::string::npos);
  };
  refused_config(deep + "1" + std::string(100000, '}'));
  refused_config("[");
  refused_config("[1]");
  refused_config("");
}

TEST_CASE("lceval report refuses a run whose eval folder can't be read") {
  const Workplace place;
  train_short(place, "vanilla");
  fs::remove_all(place.run("vanilla") / "eval");
  CHECK(run_lceval(place, {"report", "runs/vanilla"}).exit_code == 0);
  fs::create_symlink("eval", place.run("vanilla") / "eval");
  const std::string message = refusal(place, 3, {"report", "runs/vanilla"});
  CHECK(message.find("runs/vanilla/eval: can't be read: ") != std::string::npos);
}

TEST_CASE("lceval report takes results of several runs together") {
  const Workplace place;
  train_short(place, "transformer_xl");
  train_short(place, "infini");
  const std::string a = "runs/transformer_xl";
  const std::string b = "runs/infini";
  const auto done = [&](const std::vector<std::string>& arguments) {
    const lctrain::Result result = run_lceval(place, arguments);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
  };
  done({"compare", a, b, "--tokens", "200", "--out", "joint"});
  done({"recl", "--checkpoint", a, b, "--step", "4", "--longest", "8", "--tokens", "20", "--out",
        "joint"});
  done({"--checkpoint", a, b, "--tokens", "200", "--out", "plain"});
  done({"report", "runs", "--results", "joint", "--results", "plain/valid.json", "--out",
        "all.html"});
  const std::string page = lctrain::bytes(place.path() / "all.html");
  const Json compared = Json::parse(lctrain::bytes(place.path() / "joint" / "compare_valid.json"));
  const std::string difference =
      lc::html_value(compared.at("difference").at("nats_per_token")).text;
  for (const std::string& text :
       {std::string("<a href=\"#comparisons\">"), std::string("<h3>compare valid</h3>"),
        std::string("<h3>valid recl strict</h3>"), std::string("<h3>valid</h3>"),
        std::string("Difference: transformer_xl minus infini"),
        std::string("What a longer context gains"), "<td>" + difference + "</td>",
        std::string("groups: runs: lengths"), std::string("protocol of infini"),
        std::string("lceval compare runs/transformer_xl runs/infini --tokens 200 --out joint")}) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  }

  done({"report", a, "--results", "joint/valid_recl_strict.svg", "--out", "plot.html"});
  const std::string plot = lctrain::bytes(place.path() / "plot.html");
  CHECK(plot.find("What a longer context gains") != std::string::npos);
  CHECK(plot.find("groups: runs: lengths") == std::string::npos);
  done({"report", a, "--out", "none.html"});
  CHECK(lctrain::bytes(place.path() / "none.html").find("omparisons") == std::string::npos);

  // Two of one name are told apart by their folders.
  fs::create_directory(place.path() / "other");
  fs::copy(place.path() / "plain" / "valid.json", place.path() / "other" / "valid.json");
  done({"report", a, "--results", "other", "--results", "plain", "--out", "two.html"});
  const std::string two = lctrain::bytes(place.path() / "two.html");
  CHECK(two.find("<h3>other/valid</h3>") < two.find("<h3>plain/valid</h3>"));
  CHECK(two.find("<h3>plain/valid</h3>") != std::string::npos);
}

TEST_CASE("lceval report shows a result once, under however many paths it is named") {
  const Workplace place;
  train_short(place, "vanilla");
  const fs::path folder = place.path() / "my_results";
  fs::create_directory(folder);
  write(folder / "a_b.json", "{\"a\": 1}");
  fs::create_directory_symlink("my_results", place.path() / "link");
  const auto page_of = [&](const std::vector<std::string>& paths) {
    std::vector<std::string> arguments = {"report", "runs/vanilla", "--out", "page.html"};
    for (const std::string& path : paths) arguments.insert(arguments.end(), {"--results", path});
    const lctrain::Result result = run_lceval(place, arguments);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return lctrain::bytes(place.path() / "page.html");
  };
  const auto titles_in = [](const std::string& page) {
    std::vector<std::string> titles;
    const size_t section = page.find("<section id=\"comparisons\">");
    const size_t past = page.find("</section>", section);
    for (size_t at = page.find("<h3>", section); at < past; at = page.find("<h3>", at + 1)) {
      titles.push_back(page.substr(at + 4, page.find('<', at + 4) - at - 4));
    }
    return titles;
  };
  const std::string again = (folder / "a_b.json").string();
  CHECK(titles_in(page_of({"my_results", again, "link/", "./runs/../my_results"})) ==
        std::vector<std::string>{"a b"});
  // Of another folder, by the paths that each was named by first.
  fs::create_directory(place.path() / "other");
  write(place.path() / "other" / "a_b.json", "{\"a\": 2}");
  CHECK(titles_in(page_of({"./my_results", again, "other"})) ==
        std::vector<std::string>{"my_results/a b", "other/a b"});
}

TEST_CASE("lceval report refuses results that it can't show") {
  const Workplace place;
  train_short(place, "vanilla");
  const fs::path folder = place.path() / "joint";
  fs::create_directory(folder);
  const auto refused = [&](const std::string& path, const std::string& said) {
    CAPTURE(path);
    const std::string message =
        refusal(place, 3, {"report", "runs/vanilla", "--results", path, "--out", "page.html"});
    CHECK(message.find(said) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);  // what to do
    CHECK(!fs::exists(place.path() / "page.html"));
  };
  refused("absent", "--results absent: there is no such file");
  refused("joint/absent.json/a", "--results joint/absent.json/a: there is no such file");
  refused(std::string(300, 'a'), "a: can't be read: ");
  refused("runs/vanilla", "--results runs/vanilla: this is the folder of a run");
  CHECK(refusal(place, 2, {"report", "runs/vanilla", "--results", ""})
            .find("--results: is empty; give a path") != std::string::npos);
  for (const std::string page : {"runs", "pages/"}) {
    CHECK(refusal(place, 2, {"report", "runs/vanilla", "--out", page})
              .find("--out: " + page + " is a folder; name the page's file") != std::string::npos);
  }
  refused("joint", "--results joint: this folder has no .json and no .svg");
  write(folder / "table.csv", "a,b\n");
  refused("joint/table.csv", "--results joint/table.csv: this is neither a .json nor an .svg");
  write(folder / "a.json", "{\"a\": ]");
  refused("joint",
          "joint/a.json: is no JSON that lceval or lctrain wrote: it goes wrong at byte 7");
  write(folder / "a.json", std::string(100000, '[') + std::string(100000, ']'));
  refused("joint/a.json", "nested more than 100 deep");
  write(folder / "a.json", "{\"a\": 1e999}");
  refused("joint/a.json", "a number that is too large");
  write(folder / "a.json", "null");
  refused("joint/a.json", "neither an object nor a list");
  write(folder / "a.json", "");
  refused("joint/a.json", "joint/a.json: is empty");
  write(folder / "b.svg", "<html>\n<svg></svg></html>");
  refused("joint/b.svg", "joint/b.svg: is no SVG image: it begins with \"<html>\\n<svg></svg>");
  write(folder / "b.svg", "<?xml version=\"1.0\"?>\n<!-- a -->\n<svg width=\"1\">");
  refused("joint/b.svg", "joint/b.svg: is a part of an SVG image");
  write(folder / "b.svg", "");
  refused("joint/b.svg", "joint/b.svg: is empty");

  fs::create_directory(place.path() / "links");
  fs::create_symlink("loop.json", place.path() / "links" / "loop.json");
  refused("links", "links/loop.json: can't be read: ");
  refused("links/loop.json", "--results links/loop.json: can't be read: ");

  // The superuser may read any folder.
  fs::permissions(folder, fs::perms::none);
  std::error_code fault;
  fs::directory_iterator readable(folder, fault);
  if (fault) refused("joint", "joint: can't be read: ");
  fs::permissions(folder, fs::perms::owner_all);
}

}  // namespace lceval
