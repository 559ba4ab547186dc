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

/* Changes of the recordings in the store (sources/store_edit.h), for clients. */

#ifndef SERVE_SAVED_EDIT_H
#define SERVE_SAVED_EDIT_H

#include "answer.h"

/* Deletes or renames a recording in the store, or writes its note, as the body says,
   and returns the answer. */
struct answer edit_saved(const struct asked *asked);

#endif /* SERVE_SAVED_EDIT_H */
