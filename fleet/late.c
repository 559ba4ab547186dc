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

#include <dlfcn.h>
#include <stdlib.h>
#include "late.h"

#define TEXT(name) TEXT_OF(name)
#define TEXT_OF(name) #name

/* The names are from configure. */
static const char *const libraries[] = {
  [LATE_CURL] = TEXT(CURL_SONAME),
  [LATE_GNUTLS] = TEXT(GNUTLS_SONAME),
  [LATE_MICROHTTPD] = TEXT(MICROHTTPD_SONAME),
  [LATE_NATS] = TEXT(NATS_SONAME),
};

static void end(const char *why)
{
  (void) why;
  abort();
}

void (*no_library)(const char *why) = end;

void *load_late(enum late_library library)
{
  return dlopen(libraries[library], RTLD_NOW);
}

void *late_function(void **address, enum late_library library, const char *name)
{
  void *loaded, *found = __atomic_load_n(address, __ATOMIC_ACQUIRE);
  if (found != NULL) return found;
  loaded = load_late(library);
  if (loaded != NULL) found = dlsym(loaded, name);
  if (found == NULL) no_library(dlerror());
  __atomic_store_n(address, found, __ATOMIC_RELEASE);
  return found;
}
