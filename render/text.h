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

#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Decodes the UTF-8 character at [s], where [left] bytes are, at least 1.
   Returns its length in bytes and sets *code to its code point.  Returns 0,
   with *code unchanged, when the bytes are not valid UTF-8; characters that end
   after [left], overlong forms, surrogates and codes above the last code point
   are not valid. */
size_t utf8_char(const unsigned char *s, size_t left, uint32_t *code);

/* Copies [length] bytes of [text] to [out] as valid UTF-8: each byte that is
   not UTF-8 becomes U+FFFD.  [out] must have room for three times [length]
   bytes.  Returns the length of the copy in bytes.  The copy does not end with
   a NUL. */
size_t copy_as_utf8(char *out, const char *text, size_t length);

enum text_use {
  TEXT_COLUMN,      /* one column of a line: backslashes are doubled, and no
                       two spaces follow each other, none is at an end */
  TEXT_QUOTED,      /* the same, and quotes too get a backslash */
  TEXT_LINE         /* a whole message: only terminal controls are escaped */
};

/* Prints [length] bytes of [text] to [out], escaped for [use].  Valid UTF-8 is
   not changed otherwise; control characters, line separators, characters that
   change the direction of writing, and bytes that are not UTF-8 become \xHH, so
   that no text can move the cursor, split a line or hide the text next to it.
   Returns the number of characters printed; an error is left to ferror. */
int print_text(FILE *out, const char *text, size_t length,
               enum text_use use);

/* Returns a new string with [text] as print_text prints it.  The caller frees
   it.  Returns NULL when there is no memory. */
char *escape_text(const char *text, enum text_use use);

/* Room for any duration, "12.3 us", and any size, "12.3 MiB". */
#define QUANTITY_SIZE 24

/* Write [ns] as a duration, in seconds at most, or [bytes] as a size, in TiB at
   most, into [buffer], with a unit and three digits; more digits in the largest
   unit, no decimals in the smallest.  Return [buffer]. */
const char *format_duration(char buffer[QUANTITY_SIZE], uint64_t ns);
const char *format_bytes(char buffer[QUANTITY_SIZE], uint64_t bytes);

/* Writes the age [ns] into [buffer] in whole units: "12s", "3m04s", "5h06m" or
   "7d08h".  Returns [buffer]. */
const char *format_elapsed(char buffer[QUANTITY_SIZE], int64_t ns);

/* Room for any time of day. */
#define TIME_OF_DAY_SIZE 64

/* Writes the local time [ns], in nanoseconds since 1970, into [buffer], with its
   offset from UTC, such as "2026-11-26T07:40:00.123456789+01:00".  Returns
   [buffer]. */
const char *format_time_of_day(char buffer[TIME_OF_DAY_SIZE], int64_t ns);

/* Writes [share], a number from 0 to 1, as a percentage with one decimal, such
   as "12.3%", into [buffer]; "100%" from 0.9995 on.  Returns [buffer]. */
const char *format_share(char buffer[QUANTITY_SIZE], double share);

/* Writes [count], which is not negative, in short form, such as "12.3 k", into
   [buffer], in G at most.  Returns [buffer]. */
const char *format_count(char buffer[QUANTITY_SIZE], double count);

#endif /* RENDER_TEXT_H */
