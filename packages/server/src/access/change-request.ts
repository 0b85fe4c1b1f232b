import type { Actor } from '../storage/actor.ts'
import type { Permissions } from './permissions.ts'

/** A request to change who may do what, by someone who manages the place. */
export interface ChangeRequest {
  readonly actor: Actor
  /** The organization's id at the provider. */
  readonly idpOrgId: string
  /** What the caller may do. Its policy is the one that the change is decided on. */
  readonly permissions: Permissions
  /** Throws CONFIRMATION_REQUIRED unless the caller recently proved who they are. */
  readonly assertConfirmed: () => void
}
