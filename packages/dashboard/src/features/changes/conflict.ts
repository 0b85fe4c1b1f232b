import type { Change } from '../variables/change.ts'

/** Somebody changed the same variables since they were looked at. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
  readonly stageSlug: string
  /** The newest first. */
  readonly changes: readonly Change[]
  /** The one that the changes lead to. */
  readonly revision: number

  constructor(stageSlug: string, changes: readonly Change[], revision: number) {
    super('Variables were changed in between.')
    this.stageSlug = stageSlug
    this.changes = changes
    this.revision = revision
  }
}
