#include "common/full_option_table.h"

#include "config/config.h"
#include "data/prepare.h"
#include "eval/stream_evaluation.h"
#include "models/registry.h"
#include "optim/schedule.h"
#include "train/train_settings.h"

namespace lc {

OptionTable full_option_table() {
  OptionTable table;
  table.add(run_options());
  table.add(data_options());
  table.add(model_options());
  table.add(optim_options(parameter_groups()));
  table.add(train_options());
  table.add(eval_options());
  return table;
}

}  // namespace lc
