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

/* GnuTLS: keys, certificates and connections.  Loaded late: late.h */

#ifndef FLEET_LATE_GNUTLS_H
#define FLEET_LATE_GNUTLS_H

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include "late.h"

#define gnutls_certificate_allocate_credentials \
  LATE(GNUTLS, gnutls_certificate_allocate_credentials)
#define gnutls_certificate_free_credentials \
  LATE(GNUTLS, gnutls_certificate_free_credentials)
#define gnutls_certificate_get_peers LATE(GNUTLS, gnutls_certificate_get_peers)
#define gnutls_certificate_set_x509_key LATE(GNUTLS, gnutls_certificate_set_x509_key)
#define gnutls_certificate_verify_peers2 LATE(GNUTLS, gnutls_certificate_verify_peers2)
#define gnutls_credentials_set LATE(GNUTLS, gnutls_credentials_set)
#define gnutls_deinit LATE(GNUTLS, gnutls_deinit)
#define gnutls_error_is_fatal LATE(GNUTLS, gnutls_error_is_fatal)
/* A variable. */
#define gnutls_free (*LATE(GNUTLS, gnutls_free))
#define gnutls_handshake LATE(GNUTLS, gnutls_handshake)
#define gnutls_hash_fast LATE(GNUTLS, gnutls_hash_fast)
#define gnutls_hmac LATE(GNUTLS, gnutls_hmac)
#define gnutls_hmac_deinit LATE(GNUTLS, gnutls_hmac_deinit)
#define gnutls_hmac_init LATE(GNUTLS, gnutls_hmac_init)
#define gnutls_init LATE(GNUTLS, gnutls_init)
#define gnutls_memcmp LATE(GNUTLS, gnutls_memcmp)
#define gnutls_pk_bits_to_sec_param LATE(GNUTLS, gnutls_pk_bits_to_sec_param)
#define gnutls_priority_set_direct LATE(GNUTLS, gnutls_priority_set_direct)
#define gnutls_privkey_deinit LATE(GNUTLS, gnutls_privkey_deinit)
#define gnutls_privkey_import_x509_raw LATE(GNUTLS, gnutls_privkey_import_x509_raw)
#define gnutls_privkey_init LATE(GNUTLS, gnutls_privkey_init)
#define gnutls_pubkey_deinit LATE(GNUTLS, gnutls_pubkey_deinit)
#define gnutls_pubkey_export2 LATE(GNUTLS, gnutls_pubkey_export2)
#define gnutls_pubkey_get_pk_algorithm LATE(GNUTLS, gnutls_pubkey_get_pk_algorithm)
#define gnutls_pubkey_import LATE(GNUTLS, gnutls_pubkey_import)
#define gnutls_pubkey_import_privkey LATE(GNUTLS, gnutls_pubkey_import_privkey)
#define gnutls_pubkey_init LATE(GNUTLS, gnutls_pubkey_init)
#define gnutls_record_check_pending LATE(GNUTLS, gnutls_record_check_pending)
#define gnutls_record_get_direction LATE(GNUTLS, gnutls_record_get_direction)
#define gnutls_record_recv LATE(GNUTLS, gnutls_record_recv)
#define gnutls_record_send LATE(GNUTLS, gnutls_record_send)
#define gnutls_rnd LATE(GNUTLS, gnutls_rnd)
#define gnutls_strerror LATE(GNUTLS, gnutls_strerror)
#define gnutls_transport_set_int2 LATE(GNUTLS, gnutls_transport_set_int2)
#define gnutls_x509_crt_deinit LATE(GNUTLS, gnutls_x509_crt_deinit)
#define gnutls_x509_crt_export2 LATE(GNUTLS, gnutls_x509_crt_export2)
#define gnutls_x509_crt_get_dn_by_oid LATE(GNUTLS, gnutls_x509_crt_get_dn_by_oid)
#define gnutls_x509_crt_get_key_id LATE(GNUTLS, gnutls_x509_crt_get_key_id)
#define gnutls_x509_crt_import LATE(GNUTLS, gnutls_x509_crt_import)
#define gnutls_x509_crt_init LATE(GNUTLS, gnutls_x509_crt_init)
#define gnutls_x509_crt_set_activation_time \
  LATE(GNUTLS, gnutls_x509_crt_set_activation_time)
#define gnutls_x509_crt_set_ca_status LATE(GNUTLS, gnutls_x509_crt_set_ca_status)
#define gnutls_x509_crt_set_dn_by_oid LATE(GNUTLS, gnutls_x509_crt_set_dn_by_oid)
#define gnutls_x509_crt_set_expiration_time \
  LATE(GNUTLS, gnutls_x509_crt_set_expiration_time)
#define gnutls_x509_crt_set_key LATE(GNUTLS, gnutls_x509_crt_set_key)
#define gnutls_x509_crt_set_key_purpose_oid \
  LATE(GNUTLS, gnutls_x509_crt_set_key_purpose_oid)
#define gnutls_x509_crt_set_key_usage LATE(GNUTLS, gnutls_x509_crt_set_key_usage)
#define gnutls_x509_crt_set_pubkey LATE(GNUTLS, gnutls_x509_crt_set_pubkey)
#define gnutls_x509_crt_set_serial LATE(GNUTLS, gnutls_x509_crt_set_serial)
#define gnutls_x509_crt_set_version LATE(GNUTLS, gnutls_x509_crt_set_version)
#define gnutls_x509_crt_sign2 LATE(GNUTLS, gnutls_x509_crt_sign2)
#define gnutls_x509_privkey_deinit LATE(GNUTLS, gnutls_x509_privkey_deinit)
#define gnutls_x509_privkey_export2_pkcs8 \
  LATE(GNUTLS, gnutls_x509_privkey_export2_pkcs8)
#define gnutls_x509_privkey_generate LATE(GNUTLS, gnutls_x509_privkey_generate)
#define gnutls_x509_privkey_import2 LATE(GNUTLS, gnutls_x509_privkey_import2)
#define gnutls_x509_privkey_init LATE(GNUTLS, gnutls_x509_privkey_init)

#endif
