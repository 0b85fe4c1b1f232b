import type { AuditEvent } from '../storage/audit.ts'

/** An action that a person or the operator is about to take at the embedded provider, for the audit log. */
export interface PersonAuditEvent {
  readonly event: AuditEvent
  /** Undefined for the operator, who uses a command or the setup link that only the operator sees. */
  readonly userId: string | undefined
  /** The organizations that it affects, as the provider knows them. */
  readonly organizations: readonly { readonly id: string; readonly slug: string }[]
  /** The person who joins the organization, or gets another address in it. */
  readonly joins?: { readonly userId: string; readonly email: string } | undefined
  /** The person who leaves the organization. */
  readonly leaves?: { readonly userId: string } | undefined
  /** Why the service does it for the person; undefined: the person does it. */
  readonly reason?: string | undefined
  /** Number of attempts by an unknown person since the last entry; `userId` is the account that was tried. */
  readonly times?: number
}
