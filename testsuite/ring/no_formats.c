/* In place of consumer/eventring_formats.c: ring files alone, as in OCaml's
   runtime, without libzstd. */

#include <stddef.h>
#include "eventring_source.h"

const struct eventring_format *const eventring_formats[] = { NULL };
