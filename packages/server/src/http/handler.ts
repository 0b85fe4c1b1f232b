import type { EndpointName, Response } from '@rollkey/contract'
import type { EventStream } from './event-stream.ts'
import type { JsonText, Reply } from './reply.ts'
import type { RequestContext } from './request-context.ts'
import type { Services } from './services.ts'

type AnswerOf<Name extends EndpointName> = Name extends 'events' ? EventStream : Response<Name> | JsonText | Reply

/** The work of an endpoint. It throws an ApiError to answer with an error. */
export type Handler<Name extends EndpointName> = (
  services: Services,
  context: RequestContext<Name>,
) => Promise<AnswerOf<Name>> | AnswerOf<Name>

/** The handlers of the API. */
export type Handlers = { readonly [Name in EndpointName]: Handler<Name> }
