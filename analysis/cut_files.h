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

/* Files that are cut shorter while they are mapped: an access to a page that is
   gone is a SIGBUS.  A handler puts zeros there, so that no reader has to be left in
   the middle of its work. */

#ifndef ANALYSIS_CUT_FILES_H
#define ANALYSIS_CUT_FILES_H

/* Installs the handler, and the hooks of libeventring, by which a cursor on a file
   that was cut returns EVENTRING_E_TRUNCATED.  A SIGBUS for another reason, also
   from kill, ends the program as without a handler.  To be called once, before
   files are opened and threads begin. */
void survive_cut_files(void);

#endif /* ANALYSIS_CUT_FILES_H */
