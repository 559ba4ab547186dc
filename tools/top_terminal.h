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

/* The terminal as it was before curses took it, for when curses cannot give it
   back: in a handler of signals; and the terminal as standard input. */

#ifndef TOOLS_TOP_TERMINAL_H
#define TOOLS_TOP_TERMINAL_H

#include <stdbool.h>

/* Makes the terminal the standard input, from which keys are read: a recording
   has arrived there.  Returns false, with errno, if there is no terminal. */
bool terminal_read_keys(void);

/* Saves the settings of the terminal, for terminal_restore.  To be called
   before curses begins. */
void terminal_note(void);

/* Saves the control sequences that end the use of the terminal by curses, for
   terminal_restore.  To be called after curses has begun. */
void terminal_note_ending(void);

/* Writes the saved control sequences to the terminal and restores its saved
   settings.  May be called from a handler of signals. */
void terminal_restore(void);

#endif /* TOOLS_TOP_TERMINAL_H */
