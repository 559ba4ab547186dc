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

/* The client of NATS: messages of agents by JetStream.  Loaded late: late.h */

#ifndef FLEET_LATE_NATS_H
#define FLEET_LATE_NATS_H

#include <nats/nats.h>
#include "late.h"

#define js_AddConsumer LATE(NATS, js_AddConsumer)
#define js_AddStream LATE(NATS, js_AddStream)
#define js_DeleteConsumer LATE(NATS, js_DeleteConsumer)
#define js_GetConsumerInfo LATE(NATS, js_GetConsumerInfo)
#define js_GetStreamInfo LATE(NATS, js_GetStreamInfo)
#define js_PullSubscribe LATE(NATS, js_PullSubscribe)
#define jsConsumerConfig_Init LATE(NATS, jsConsumerConfig_Init)
#define jsConsumerInfo_Destroy LATE(NATS, jsConsumerInfo_Destroy)
#define jsCtx_Destroy LATE(NATS, jsCtx_Destroy)
#define jsStreamConfig_Init LATE(NATS, jsStreamConfig_Init)
#define jsStreamInfo_Destroy LATE(NATS, jsStreamInfo_Destroy)
#define jsSubOptions_Init LATE(NATS, jsSubOptions_Init)
#define nats_CloseAndWait LATE(NATS, nats_CloseAndWait)
#define nats_GetLastError LATE(NATS, nats_GetLastError)
#define natsConnection_Connect LATE(NATS, natsConnection_Connect)
#define natsConnection_Destroy LATE(NATS, natsConnection_Destroy)
#define natsConnection_GetConnectedUrl LATE(NATS, natsConnection_GetConnectedUrl)
#define natsConnection_GetLastError LATE(NATS, natsConnection_GetLastError)
#define natsConnection_IsClosed LATE(NATS, natsConnection_IsClosed)
#define natsConnection_JetStream LATE(NATS, natsConnection_JetStream)
#define natsConnection_PublishMsg LATE(NATS, natsConnection_PublishMsg)
#define natsConnection_Subscribe LATE(NATS, natsConnection_Subscribe)
#define natsConnection_SubscribeSync LATE(NATS, natsConnection_SubscribeSync)
#define natsInbox_Create LATE(NATS, natsInbox_Create)
#define natsInbox_Destroy LATE(NATS, natsInbox_Destroy)
#define natsMsg_Ack LATE(NATS, natsMsg_Ack)
#define natsMsg_Create LATE(NATS, natsMsg_Create)
#define natsMsg_Destroy LATE(NATS, natsMsg_Destroy)
#define natsMsg_GetData LATE(NATS, natsMsg_GetData)
#define natsMsg_GetDataLength LATE(NATS, natsMsg_GetDataLength)
#define natsMsg_GetReply LATE(NATS, natsMsg_GetReply)
#define natsMsg_GetSubject LATE(NATS, natsMsg_GetSubject)
#define natsMsg_IsNoResponders LATE(NATS, natsMsg_IsNoResponders)
#define natsMsgHeader_Get LATE(NATS, natsMsgHeader_Get)
#define natsMsgHeader_Set LATE(NATS, natsMsgHeader_Set)
#define natsMsgList_Destroy LATE(NATS, natsMsgList_Destroy)
#define natsOptions_Create LATE(NATS, natsOptions_Create)
#define natsOptions_Destroy LATE(NATS, natsOptions_Destroy)
#define natsOptions_LoadCATrustedCertificates \
  LATE(NATS, natsOptions_LoadCATrustedCertificates)
#define natsOptions_SetAllowReconnect LATE(NATS, natsOptions_SetAllowReconnect)
#define natsOptions_SetClosedCB LATE(NATS, natsOptions_SetClosedCB)
#define natsOptions_SetErrorHandler LATE(NATS, natsOptions_SetErrorHandler)
#define natsOptions_SetMaxPingsOut LATE(NATS, natsOptions_SetMaxPingsOut)
#define natsOptions_SetName LATE(NATS, natsOptions_SetName)
#define natsOptions_SetPingInterval LATE(NATS, natsOptions_SetPingInterval)
#define natsOptions_SetSecure LATE(NATS, natsOptions_SetSecure)
#define natsOptions_SetServers LATE(NATS, natsOptions_SetServers)
#define natsOptions_SetTimeout LATE(NATS, natsOptions_SetTimeout)
#define natsOptions_SetUserInfo LATE(NATS, natsOptions_SetUserInfo)
#define natsOptions_SetWriteDeadline LATE(NATS, natsOptions_SetWriteDeadline)
#define natsStatus_GetText LATE(NATS, natsStatus_GetText)
#define natsSubscription_Destroy LATE(NATS, natsSubscription_Destroy)
#define natsSubscription_Fetch LATE(NATS, natsSubscription_Fetch)
#define natsSubscription_NextMsg LATE(NATS, natsSubscription_NextMsg)

#endif
