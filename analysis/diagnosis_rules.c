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

#include "diagnosis_rules.h"

const struct rule rules[RULES] = {
#define RULE(id, name, event, category, title, advice) \
  [RULE_##id] = { name, event, category, title, advice },
#include "caml/eventring_events.tbl"
};
