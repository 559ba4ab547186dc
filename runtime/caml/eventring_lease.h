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

/* Whether a process has a file open or mapped for writing, in any namespace or
   container of this kernel: the kernel grants a read lease only if none has.
   For the runtime, which must not remove the ring file of a live process, and
   for the reader, which must not call such a process killed. */

#ifndef CAML_EVENTRING_LEASE_H
#define CAML_EVENTRING_LEASE_H

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

/* Returns 1 if it is certain that no process has the file of [fd] open or
   mapped for writing.  [fd] is open for reading only.  Returns 0 if a process
   has, or if the system cannot tell: for a file of another user, unless the
   caller is privileged, on file systems that do not count mappings as writers,
   such as overlayfs, and on network file systems, which know nothing of other
   machines. */
static inline int eventring_nobody_writes(int fd)
{
#if defined(__linux__) && defined(F_SETLEASE) && defined(F_SETSIG)
  static const unsigned long counting[] = {
    0xEF53 /* ext4 */, 0x58465342 /* xfs */, 0x9123683E /* btrfs */,
    0x01021994 /* tmpfs */, 0xF2F52010 /* f2fs */
  };
  struct statfs fs;
  size_t i = 0, n = sizeof(counting) / sizeof(counting[0]);
  if (fstatfs(fd, &fs) != 0) return 0;
  while (i < n && (unsigned long) fs.f_type != counting[i]) i++;
  /* An open during the lease sends a signal: SIGURG, which is ignored by
     default, instead of SIGIO, which kills. */
  if (i == n || fcntl(fd, F_SETSIG, SIGURG) != 0
      || fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return 0;
  fcntl(fd, F_SETLEASE, F_UNLCK);
  return 1;
#else
  (void) fd;
  return 0;
#endif
}

#endif /* CAML_EVENTRING_LEASE_H */
