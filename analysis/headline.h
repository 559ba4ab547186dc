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

/* The beginning of a verdict, which serve keeps from one diagnosis of a process to
   the next. */

#ifndef ANALYSIS_HEADLINE_H
#define ANALYSIS_HEADLINE_H

/* Zeros: none. */
struct headline {
  char rule[32];                  /* name of the rule of the first finding; "": none */
  char cause[64];                 /* of collections; "": not known */
  char second_cause[64];          /* of about as much time; "": none */
};

#endif /* ANALYSIS_HEADLINE_H */
