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

/* The rules of a store, in its file rules.json, so that they are there after a restart
   of the server.  One server at a time has them. */

#ifndef SERVE_RULES_FILE_H
#define SERVE_RULES_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Takes the rules of the store in the folder [store] until the end of the process, if
   it has a file of them.  Sets *rules to a new array of them, as POST /api/rules takes each,
   or to NULL if there are none; the caller releases it.  Returns false, with the reason
   in [why], when another server has them or the file cannot be used: then the rules must
   not be written.  To be called once, before write_rules_file. */
bool take_rules_file(const char *store, json_t **rules, char *why, size_t why_size);

/* Lets another server take the rules. */
void give_rules_file_back(void);

/* Replaces the rules in the file by [rules], an array; makes the folder [store] if it is
   not there.  Returns false, with the reason in [why], when that fails; the file is as
   before then.  Calls must not overlap. */
bool write_rules_file(const char *store, const json_t *rules, char *why,
                      size_t why_size);

#endif /* SERVE_RULES_FILE_H */
