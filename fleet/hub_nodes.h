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

/* The nodes of a hub: the names of agents, their reports, and the answers for
   readers. */

#ifndef FLEET_HUB_NODES_H
#define FLEET_HUB_NODES_H

#include <jansson.h>
#include "hub_store.h"

/* Tokens */

/* Makes a join token, and keeps its SHA-256 in the store.  Returns false with
   the reason. */
bool new_join_token(struct hub_store *store, char token[HUB_TOKEN_SIZE],
                    char *why, size_t size);

/* Returns whether [token] can be used now. */
bool is_join_token(struct hub_store *store, const char *token);

/* Uses [token].  Returns false when another request has used it. */
bool use_join_token(struct hub_store *store, const char *token);

/* Removes the tokens that are too old. */
void clean_join_tokens(struct hub_store *store);

/* Sets [token] to the token of readers, or to the secret from which credentials
   for NATS are derived, which is made if there is none yet.  Return false with
   the reason. */
bool open_read_token(struct hub_store *store, char token[HUB_TOKEN_SIZE],
                     char *why, size_t size);
bool open_nats_secret(struct hub_store *store, char token[HUB_TOKEN_SIZE],
                      char *why, size_t size);

/* Sets [token] to the token for control, which open_control_token makes if there
   is none yet; read_control_token returns false then.  open_control_token returns
   false with the reason. */
bool open_control_token(struct hub_store *store, char token[HUB_TOKEN_SIZE],
                        char *why, size_t size);
bool read_control_token(struct hub_store *store, char token[HUB_TOKEN_SIZE]);

/* Keeps the address [text] of the hub in the store, and reads it.  Return false
   with the reason. */
bool keep_hub_address(struct hub_store *store, const char *text, char *why,
                      size_t size);
bool read_hub_address(struct hub_store *store, struct hub_url *url, char *why,
                      size_t size);

/* Names */

enum register_result { NODE_REGISTERED, NODE_TAKEN, NODE_FAILED };

/* Gives the name [node] to the agent with the key [fingerprint].  Sets *made to
   whether it did not have it before.  Returns NODE_TAKEN when another agent has
   the name, NODE_FAILED with errno. */
enum register_result register_node(struct hub_store *store, const char *node,
                                   const char *fingerprint, bool *made);

/* Returns whether the agent with the key [fingerprint] has the name [node]. */
bool is_registered(struct hub_store *store, const char *node,
                   const char *fingerprint);

/* Sets [fingerprint] to the key of the agent with the name [node].  Returns false
   when no agent has it. */
bool registered_key(struct hub_store *store, const char *node,
                    char fingerprint[FINGERPRINT_SIZE]);

/* Calls [visit] with [state] for each node with an agent that has joined. */
void visit_registered(struct hub_store *store,
                      void (*visit)(void *state, const char *node,
                                    const char *fingerprint),
                      void *state);

/* Frees the name [node]; its recordings stay.  Returns false with errno. */
bool forget_node(struct hub_store *store, const char *node);

/* Removes the folder of [node] if nothing is in it, after a join that failed. */
void drop_empty_node(struct hub_store *store, const char *node);

/* Reports */

/* Checks [report] of the agent of [node], an object, and keeps the members that
   are known, and the streams of earlier reports that still run if the agent
   needs several reports for all of its streams.  Returns true; false with the reason and *error: 0 when the report
   is not valid, else an errno value. */
bool store_report(struct hub_store *store, const char *node,
                  const json_t *report, int *error, char *why, size_t size);

/* Returns the bytes of memory that the kept report of [node] takes at most while
   another one is stored. */
uint64_t memory_of_kept_report(struct hub_store *store, const char *node);

/* Returns new objects with all nodes, and all processes: see doc/FLEET.md.  NULL
   when there is no memory. */
json_t *list_nodes(struct hub_store *store);
json_t *list_processes(struct hub_store *store);

/* Recordings */

/* Sets *fd to a file with the recording of [stream] of [node], made of its
   last part and those that have changed at or after [since_ns], CLOCK_REALTIME,
   which has no name; the caller closes it.  Parts that cannot be read or
   are of another process are left out, and counted in *left_out.  Waits while
   HUB_MERGES others are made.  Returns 0, or an errno value: ENOENT when there
   is no such recording, EBUSY when too many readers wait, ENOSPC. */
int open_stream_recording(struct hub_store *store, const char *node,
                          const char *stream, int64_t since_ns,
                          unsigned *left_out, int *fd);

#endif /* FLEET_HUB_NODES_H */
