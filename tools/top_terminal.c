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

/* term.h makes macros of words such as columns and lines, so that this is a
   file of its own.  The terminal's strings are looked up beforehand: a handler
   may write and set the terminal, and little else. */

#include <curses.h>
#include <fcntl.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include "top_terminal.h"

static struct termios before;
static bool noted;
static char ending[256];

void terminal_note(void)
{
  noted = tcgetattr(STDIN_FILENO, &before) == 0;
}

/* Appends the control sequence of the terminal's capability [name] to [ending];
   nothing if the terminal lacks it.  Delays in the sequence, such as $<5>,
   which are for very old terminals, are left out. */
static void append(const char *name)
{
  const char *text = tigetstr((char *) name);
  size_t used = strlen(ending);
  if (text == NULL || text == (const char *) -1) return;
  while (*text != '\0' && used < sizeof ending - 1) {
    if (text[0] == '$' && text[1] == '<') {
      text += strcspn(text, ">");
      if (*text != '\0') text++;
    } else {
      ending[used++] = *text++;
    }
  }
}

void terminal_note_ending(void)
{
  append("sgr0");               /* plain text */
  append("cnorm");              /* the cursor is seen */
  append("rmkx");               /* keys of the keypad as ever */
  append("rmcup");              /* the screen that was there before */
}

void terminal_restore(void)
{
  if (ending[0] != '\0'
      && write(STDOUT_FILENO, ending, strlen(ending)) < 0) return;
  if (noted) tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

bool terminal_read_keys(void)
{
  int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (fd < 0 || dup2(fd, STDIN_FILENO) < 0) return false;
  close(fd);
  return true;
}
