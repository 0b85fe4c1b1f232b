/** The author of a change and the credential, as the history and the audit log record them. */
export interface Actor {
  /** The organization in which the change is made. */
  readonly orgId: string
  /** The user's id at the provider, the id of a service token or a trust, or `operator`. */
  readonly id: string
  /**
   * The credential: a provider token, a session of a command-line client, a service token or one of a trust, or a command on the machine.
   * `system`: the service itself ended something of the user.
   */
  readonly how: 'provider' | 'session' | 'service' | 'operator' | 'system'
  /** Display name of the client, such as `cli session laptop`. */
  readonly client: string
  /** Undefined where there is no request. */
  readonly requestId: string | undefined
}

/** A user in an organization, as an access token or the provider identifies them. */
export interface Member {
  readonly orgId: string
  readonly userId: string
}

/** Returns the actor of a user in the web application. */
export function personActorOf({ orgId, userId }: Member, requestId?: string): Actor {
  return { orgId, id: userId, how: 'provider', client: 'dashboard', requestId }
}

/** Returns the actor of a user with a command-line session. `name` is what the client called itself. */
export function sessionActorOf({ orgId, userId }: Member, name: string | undefined, requestId: string): Actor {
  return { orgId, id: userId, how: 'session', client: labelOf('cli session', name), requestId }
}

export function serviceActorOf({ orgId, userId }: Member, name: string | undefined, requestId: string): Actor {
  return { orgId, id: userId, how: 'service', client: labelOf('service token', name), requestId }
}

/** Returns a trust as the actor, whose tokens are of machines like service tokens. */
export function trustActorOf({ orgId, userId }: Member, name: string | undefined, requestId: string): Actor {
  return { orgId, id: userId, how: 'service', client: labelOf('trust', name), requestId }
}

/** Returns a client key as the actor, which is of a machine like a service token. */
export function clientKeyActorOf({ orgId, userId }: Member, name: string | undefined, requestId: string): Actor {
  return { orgId, id: userId, how: 'service', client: labelOf('client key', name), requestId }
}

function labelOf(kind: string, name: string | undefined): string {
  return name === undefined ? kind : `${kind} ${name}`
}

/** Returns the service itself as the actor, when it ends something of the user. */
export function systemActorOf({ orgId, userId }: Member, reason: string): Actor {
  return { orgId, id: userId, how: 'system', client: reason, requestId: undefined }
}

/** The id under which the operator appears as an actor and as the creator of a token. */
export const operatorId = 'operator'

/** Returns the actor of the person who runs commands on the machine of the service. */
export function operatorActorOf(orgId: string): Actor {
  return { orgId, id: operatorId, how: 'operator', client: 'operator', requestId: undefined }
}
