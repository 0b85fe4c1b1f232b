/** Who makes a change, and by what: so the history and the audit log note it. */
export interface Actor {
  /** The organization that it is made in. */
  readonly orgId: string
  /** The user's id at the provider, the id of a service token, or `operator`. */
  readonly id: string
  /** By which credential: a provider token, a session of a command-line client, a service token, a command on the machine. */
  readonly how: 'provider' | 'session' | 'service' | 'operator'
  /** For people, such as `cli session laptop`. */
  readonly client: string
  /** Undefined where there is no request. */
  readonly requestId: string | undefined
}

/** Whoever gives commands on the machine of the service. */
export function operatorOf(orgId: string): Actor {
  return { orgId, id: 'operator', how: 'operator', client: 'operator', requestId: undefined }
}
