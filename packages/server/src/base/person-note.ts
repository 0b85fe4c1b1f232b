import type { AuditAction } from '@rollkey/contract'

/** What a person or the operator is about to do at the embedded provider, for the audit log. */
export interface PersonNote {
  readonly action: AuditAction
  /** Undefined: the operator, by a command or by the set-up link that only the operator sees. */
  readonly userId: string | undefined
  /** Those that it concerns, as the provider knows them. */
  readonly organizations: readonly { readonly id: string; readonly slug: string }[]
  readonly subject: string | undefined
  /** How often an unknown person tried it since the last note; `userId` is whose account it was tried at. */
  readonly times?: number
}
