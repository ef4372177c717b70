// lceval on runs whose texts have changed since they were trained.
#include <functional>

#include "apps/lceval_process.h"
#include "catch.h"
#include "core/file_io.h"

namespace lceval {
namespace {

bool says(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

// The state of the checkpoint that is scored, changed and written as whole as it was.
void change_state(const Workplace& place, const std::string& run,
                  const std::function<void(Json& state)>& change) {
  const fs::path file =
      place.run(run) / "checkpoints" / lctrain::pointer(place.run(run), "best") / "state.json";
  Json whole = Json::parse(lctrain::bytes(file));
  change(whole.at("state"));
  whole.erase("sha256");
  whole["sha256"] = lc::sha256_of(whole.dump());
  write(file, whole.dump(2));
}

void with_changed_text(const Workplace& place, const std::string& name, const std::string& text,
                       const std::function<void()>& check) {
  const std::string own = lctrain::bytes(place.path() / name);
  write(place.path() / name, text);
  check();
  write(place.path() / name, own);
}

}  // namespace

TEST_CASE("lceval scores no changed text as the run's own") {
  const Workplace place;
  train_xl(place);
  const std::vector<std::string> xl = {"--checkpoint", "runs/xl"};
  const Json before = json_of(place, xl);
  const std::string valid = lctrain::bytes(place.path() / "valid.txt");
  const std::string place_of_fault = "/runs/xl (data.valid " +
                                     (place.path() / "valid.txt").string() +
                                     "): isn't the text that the run was started with: ";
  with_changed_text(place, "valid.txt", valid + "and then", [&] {
    for (const std::vector<std::string>& verb :
         std::vector<std::vector<std::string>>{{},
                                               {"--context", "0,8"},
                                               {"--tokens", "10"},
                                               {"--sweep", "memory=8,16"},
                                               {"attention"},
                                               {"slices", "--by", "position"},
                                               {"speed", "--context", "8"},
                                               {"recl", "--step", "8", "--longest", "16"}}) {
      std::vector<std::string> arguments = verb;
      arguments.insert(arguments.end(), xl.begin(), xl.end());
      const std::string message = refusal(place, 3, arguments);
      INFO(message);
      CHECK(says(message, "lceval: the valid split of "));
      CHECK(says(message, place_of_fault +
                              "it has 3,008 tokens, and had 3,000; put the text back, or score "
                              "another text with --data\n"));
    }
    // Named as another text it is scored.
    const Json other = json_of(place, {"--checkpoint", "runs/xl", "--data", "valid.txt"});
    CHECK(other["tokens_total"] == 3008);
    CHECK(other["protocol"]["text_hash"] != before["protocol"]["text_hash"]);
  });
  std::string swapped = valid;
  swapped[2000] = swapped[2000] == 'x' ? 'y' : 'x';
  with_changed_text(place, "valid.txt", swapped, [&] {
    CHECK(says(
        refusal(place, 3, xl),
        place_of_fault + "some of its 3,000 tokens are others, or stand in other documents; "));
  });
  const Json after = json_of(place, xl);
  CHECK(after == before);
  const Json same_text = json_of(place, {"--checkpoint", "runs/xl", "--data", "valid.txt"});
  CHECK(same_text["protocol"]["text_hash"] == before["protocol"]["text_hash"]);
  const Json part = json_of(place, {"--checkpoint", "runs/xl", "--tokens", "10", "--lanes", "1"});
  CHECK(part["protocol"]["text_hash"] == before["protocol"]["text_hash"]);
  CHECK(says(run_lceval(place, xl).out, "protocol of xl: "));
  CHECK_FALSE(says(run_lceval(place, xl).out, "text_hash"));
}

TEST_CASE("lceval reads no changed train split where it reads one") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  const std::string train = lctrain::bytes(place.path() / "train.txt");
  const std::vector<std::string> xl = {"--checkpoint", "runs/xl", "--tokens", "50"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), xl.begin(), xl.end());
    return more;
  };
  with_changed_text(place, "train.txt", train + "and then", [&] {
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& remedy) {
      const std::string message = refusal(place, 3, arguments);
      INFO(message);
      CHECK(says(message, "the train split of "));
      CHECK(says(message, "it has 30,008 tokens, and had 30,000; put the text back, or " + remedy));
    };
    refused(with({"--split", "train"}), "score another text with --data");
    refused(with({"slices", "--by", "frequency"}), "choose another way to slice than by frequency");
    refused(with({"slices", "--by", "frequency", "--data", "valid.txt"}), "choose another way");
    refused({"compare", "runs/xl", "runs/vanilla"}, "compare on another text with --data");
    refused(with({"--dynamic", "rms", "--dynamic-lr", "1e-5"}), "choose --dynamic sgd");
    for (const std::vector<std::string>& other : std::vector<std::vector<std::string>>{
             with({}),
             with({"slices", "--by", "position"}),
             with({"--dynamic", "sgd", "--dynamic-lr", "0.01"}),
             {"compare", "runs/xl", "runs/vanilla", "--data", "valid.txt"}}) {
      const lctrain::Result result = run_lceval(place, other);
      INFO(result.err);
      CHECK(result.exit_code == 0);
    }
  });
}

TEST_CASE("lceval checks of a checkpoint what it knows") {
  const Workplace place;
  train_xl(place);
  const std::string valid = lctrain::bytes(place.path() / "valid.txt");
  const std::string train = lctrain::bytes(place.path() / "train.txt");
  change_state(place, "xl", [](Json& state) { state.at("texts").erase("valid"); });
  with_changed_text(place, "valid.txt", valid + "and then", [&] {
    CHECK(json_of(place, {"--checkpoint", "runs/xl"})["tokens_total"] == 3008);
  });
  with_changed_text(place, "train.txt", train + "and then", [&] {
    CHECK(says(refusal(place, 3, {"--checkpoint", "runs/xl", "--split", "train"}),
               "it has 30,008 tokens, and had 30,000; put the text back"));
  });
  change_state(place, "xl", [](Json& state) { state = Json{{"imported", {{"format", "x"}}}}; });
  with_changed_text(place, "train.txt", train + "and then", [&] {
    CHECK(json_of(place, {"--checkpoint", "runs/xl", "--split", "train", "--tokens",
                          "9"})["tokens_total"] == 30008);
  });
}

}  // namespace lceval
