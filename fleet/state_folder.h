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

/* Where the user's commands keep their state. */

#ifndef FLEET_STATE_FOLDER_H
#define FLEET_STATE_FOLDER_H

/* Returns the path of the folder [name] of the user's state, which the caller
   frees: $XDG_STATE_HOME/eventring/NAME or ~/.local/state/eventring/NAME; NULL
   when there is no HOME. */
char *state_folder(const char *name);

#endif /* FLEET_STATE_FOLDER_H */
