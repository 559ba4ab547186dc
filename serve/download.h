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

/* Files that clients download: recordings, traces and profiles.  They are made in a
   temporary file without a name, so that memory does not grow with them. */

#ifndef SERVE_DOWNLOAD_H
#define SERVE_DOWNLOAD_H

#include <sys/types.h>
#include "answer.h"
#include "eventring_reader.h"

/* The most bytes of a file that is made for a client, and the most files at once. */
#define DOWNLOAD_BYTES (UINT64_C(1) << 30)
#define DOWNLOADS 4

struct download;

/* Opens an empty file for a client, on the disk of the store or, if that is not
   possible, in the folder for temporary files.  Returns NULL, with the reason in
   [why], when there are too many files or the file cannot be made.  The caller
   gives the download to close_download, which takes NULL, too. */
struct download *new_download(const struct settings *settings, char *why,
                              size_t why_size);
void close_download(struct download *download);

/* Sets the media type of [download], and its name: of the process that [info]
   describes and the window of [query], with [ending]. */
void name_download(struct download *download, const char *type,
                   const struct eventring_info *info,
                   const struct query *query, const char *ending);

/* Returns the refusal of a download for the [error] of a struct sink, an errno. */
struct answer refuse_download(int error);

/* Return the descriptor of the file, its bytes, its media type, and its name, of
   letters that need no quotes. */
int download_fd(const struct download *download);
uint64_t download_size(const struct download *download);
const char *download_type(const struct download *download);
const char *download_name(const struct download *download);

/* Returns the time since the start from which on all rings, but those of samples, had all
   events, or 0 if they had all of the window, there is no window, or the file is a
   profile. */
int64_t download_complete_from(const struct download *download);

/* Reads at most [size] bytes from byte [at] on to [bytes].  Returns their number, 0
   at the end of the file, or -1 with errno. */
ssize_t read_download(const struct download *download, uint64_t at, char *bytes,
                      size_t size);

/* Return the answers to GET of a process in the window of the query. */
struct answer answer_recording(const struct asked *asked);
struct answer answer_trace(const struct asked *asked);

#endif /* SERVE_DOWNLOAD_H */
