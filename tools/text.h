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

/* How names, texts and durations are printed. */

#ifndef TOOLS_TEXT_H
#define TOOLS_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the length of the UTF-8 character at [s], at most [left] bytes, and
   its code in *code; 0 when it is not UTF-8 (overlong forms, surrogates and
   codes past the last one included). */
size_t utf8_char(const unsigned char *s, size_t left, uint32_t *code);

/* Copies [length] bytes as valid UTF-8: each byte that is not UTF-8 becomes
   U+FFFD.  [out] has room for three times [length].  Returns the
   length of the copy. */
size_t copy_as_utf8(char *out, const char *text, size_t length);

enum text_use {
  TEXT_COLUMN,      /* one column of a line: backslashes are doubled, and no
                       two spaces follow each other, none is at an end */
  TEXT_QUOTED,      /* the same, and quotes too get a backslash */
  TEXT_LINE         /* a whole message: only terminal controls are escaped */
};

/* Prints [length] bytes.  Valid UTF-8 stays as it is; control characters,
   characters that turn the direction of writing, and bytes that are not UTF-8
   become \xHH, so that no text can move the cursor, split a line or hide the
   text next to it.  Returns how many characters were printed. */
int print_text(FILE *out, const char *text, size_t length,
               enum text_use use);

/* Room for any duration, "12.3 us", and any size, "12.3 MiB". */
#define QUANTITY_SIZE 24

/* Write [ns] or [bytes] with three digits and a unit into [buffer]; return
   it. */
const char *format_duration(char buffer[QUANTITY_SIZE], uint64_t ns);
const char *format_bytes(char buffer[QUANTITY_SIZE], uint64_t bytes);

/* Writes [share], from 0 to 1, as "12.3%" into [buffer]; returns it. */
const char *format_share(char buffer[QUANTITY_SIZE], double share);

/* Writes [count] as "12.3 k" into [buffer]; returns it. */
const char *format_count(char buffer[QUANTITY_SIZE], double count);

#endif /* TOOLS_TEXT_H */
