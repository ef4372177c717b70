#include "config/config.h"

namespace lc {

std::vector<Option> run_options() {
  return {
      Option::text("run.name", "run")
          .says("Name of the run, shown in tables and plots.")
          .taken_on_resume(),
      Option::text("run.out_dir", nullptr)
          .or_null()
          .taken_on_resume()
          .says("The run's folder; null: runs/ and the run's name."),
      Option::text("run.init_from", nullptr)
          .or_null()
          .says("A run or step folder whose weights training begins with; null: random ones."),
      Option::integer("run.seed", 1)
          .at_least(0)
          .says("Seed of initial weights, dropout and the order of documents."),
      Option::text("run.device", "auto")
          .taken_with_note_on_resume()
          .says("auto, cpu, cuda or cuda:N."),
      Option::integer("run.threads", nullptr)
          .at_least(1)
          .at_most(1024)
          .or_null()
          .taken_with_note_on_resume()
          .says("Threads of the CPU; null: all cores."),
      Option::choice("run.precision", "float32", {"float32", "float64"})
          .says("Type of weights and arithmetic."),
  };
}

}  // namespace lc
