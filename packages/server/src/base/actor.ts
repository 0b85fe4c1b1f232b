/** Who makes a change, and by what: so the history and the audit log note it. */
export interface Actor {
  /** The organization that it is made in. */
  readonly orgId: string
  /** The user's id at the provider, the id of a service token, or `operator`. */
  readonly id: string
  /**
   * By which credential: a provider token, a session of a command-line client, a service token, a command on the machine;
   * `system`: the service ends something of the user by itself.
   */
  readonly how: 'provider' | 'session' | 'service' | 'operator' | 'system'
  /** For people, such as `cli session laptop`. */
  readonly client: string
  /** Undefined where there is no request. */
  readonly requestId: string | undefined
}

/** A user in an organization, of an access token or as the provider knows them. */
export interface Member {
  readonly orgId: string
  readonly userId: string
}

/** A user who acts in the web application. */
export function personOf({ orgId, userId }: Member, requestId?: string): Actor {
  return { orgId, id: userId, how: 'provider', client: 'dashboard', requestId }
}

/** A user who acts by the session of a command-line client; `name`: what the client called itself. */
export function sessionActorOf({ orgId, userId }: Member, name: string | undefined, requestId: string): Actor {
  return { orgId, id: userId, how: 'session', client: labelOf('cli session', name), requestId }
}

export function serviceActorOf({ orgId, userId }: Member, name: string | undefined, requestId: string): Actor {
  return { orgId, id: userId, how: 'service', client: labelOf('service token', name), requestId }
}

function labelOf(kind: string, name: string | undefined): string {
  return name === undefined ? kind : `${kind} ${name}`
}

/** The service itself, that ends something of a user. */
export function systemActorOf({ orgId, userId }: Member, reason: string): Actor {
  return { orgId, id: userId, how: 'system', client: reason, requestId: undefined }
}

/** The id under which the operator appears as an actor and as the creator of a token. */
export const operatorId = 'operator'

/** Returns the person who gives commands on the machine of the service. */
export function operatorOf(orgId: string): Actor {
  return { orgId, id: operatorId, how: 'operator', client: 'operator', requestId: undefined }
}
