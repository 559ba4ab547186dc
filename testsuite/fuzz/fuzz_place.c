/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/

/* The places that receivers of a stream send to its recorder.

   An input is a place.  Its bytes 124 to 127, above the sum, tell what is made
   right: bit 0 the sums, bit 1 the process, so that inputs reach the window. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "eventring_reader.h"
#include "eventring_recording.h"
#include "eventring_cursor.h"
#include "fuzz.h"

enum { RIGHT_SUMS = 1, RIGHT_PROCESS = 2 };

/* The command that makes a ring file, with its main function renamed. */
int make_ring(int argc, char **argv);

static struct eventring_recorder *recorder;
static struct eventring_header header;

/* A sink that checks that it gets chunks. */
static int take(void *state, int kind, const void *bytes, size_t size)
{
  size_t *all = state;
  CHECK(kind >= EVENTRING_CHUNK_STATE && kind <= EVENTRING_CHUNK_INDEX);
  CHECK(bytes != NULL && size >= sizeof(struct recording_start));
  if (all != NULL) *all += size;
  return 0;
}

/* Begins to record a ring file, which is the same for all inputs. */
static void begin(void)
{
  char path[] = "/tmp/fuzz-place-XXXXXX";
  struct eventring_record_options o = { .size = sizeof o, .write = take,
                                        .window_bytes = 1 << 20 };
  char *arguments[] = { "make_ring", "plain", path, NULL };
  struct eventring_cursor *cursor;
  int fd = mkstemp(path);
  CHECK(fd >= 0);
  close(fd);
  CHECK(make_ring(3, arguments) == 0);
  CHECK(eventring_open(path, NULL, &cursor) == 0);
  unlink(path);
  header = *eventring_cursor_source(cursor)->header;
  CHECK(eventring_record("a stream", cursor, &o, &recorder) == 0);
  CHECK(eventring_record_step(recorder) >= 0);
}

/* Makes those parts of the place right that its bytes ask for. */
static void mend(uint8_t *bytes, size_t size)
{
  struct recording_place p;
  memcpy(&p, bytes, sizeof p);
  const uint64_t what = p.sum >> 32;
  if ((what & RIGHT_PROCESS) != 0) {
    memcpy(p.magic, RECORDING_PLACE_MAGIC, sizeof p.magic);
    p.size = (uint32_t) size;
    p.rings = header.rings;
    p.pid_namespace = header.pid_namespace;
    p.start_time = header.start_time;
    p.started = header.started;
    p.pid = (uint32_t) header.pid;
    memcpy(p.boot_id, header.boot_id, sizeof p.boot_id);
  }
  if ((what & RIGHT_SUMS) != 0) {
    p.content = recording_sum(bytes + sizeof p, size - sizeof p);
    p.sum = recording_sum(&p, offsetof(struct recording_place, sum));
  }
  memcpy(bytes, &p, sizeof p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint8_t *bytes = malloc(size + 1);
  size_t joined = 0, rejoined = 0;
  CHECK(bytes != NULL);
  if (recorder == NULL) begin();
  if (size > 0) memcpy(bytes, data, size);
  if (size >= sizeof(struct recording_place)) mend(bytes, size);
  for (size_t have = 0; have <= size && have < 200; have++) {
    int64_t needed = eventring_place_size(bytes, have);
    CHECK(needed == EVENTRING_E_ARGUMENT || (needed == 0 && have < 24)
          || (needed >= (int64_t) sizeof(struct recording_place)
              && needed <= (int64_t) sizeof(struct recording_place)
                           + 8 * EVENTRING_MAX_RINGS));
  }
  CHECK(eventring_record_join(recorder, take, &joined) == 0);
  CHECK(eventring_record_rejoin(recorder, bytes, size, take, &rejoined) == 0);
  /* The description of the process, at least; segments, at most. */
  CHECK(rejoined >= joined / 2 && rejoined <= joined + (2 << 20));
  free(bytes);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed)
{
  return fuzz_mutate_words(data, size, max_size, seed);
}
