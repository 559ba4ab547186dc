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
   back: in a handler of signals. */

#ifndef TOOLS_TOP_TERMINAL_H
#define TOOLS_TOP_TERMINAL_H

/* Notes how the terminal is set; before curses begins. */
void terminal_note(void);

/* Notes the sequences that end curses' use of it; once curses has begun. */
void terminal_note_ending(void);

/* Sets it as it was and writes these.  May be called from a handler. */
void terminal_restore(void);

#endif /* TOOLS_TOP_TERMINAL_H */
