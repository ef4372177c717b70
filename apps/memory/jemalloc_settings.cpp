// What jemalloc reads when a program starts (MALLOC_CONF in the environment comes after it): all
// memory on huge pages, and freed memory kept for the next step instead of given back.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "thp:always,dirty_decay_ms:-1,muzzy_decay_ms:-1";
}
