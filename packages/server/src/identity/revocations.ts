/**
 * Withdraws invitations and links together with rights. A removal or a lower role withdraws the invitations that the person can
 * no longer make and the password links that the person requested. A new password revokes every link that would set another.
 * Restored rights do not restore what was withdrawn. Using an invitation or a link checks the rights again, in case this missed one.
 */
import { mayInvite, highestRole, type Directory } from './directory.ts'
import { endResetsBy, endResetsOf } from './resets.ts'
import type { Change, Row } from './watched-adapter.ts'

function text(row: Row, field: string): string {
  const value = row[field]
  return typeof value === 'string' ? value : ''
}

export class Revocations {
  readonly #directory: Directory

  constructor(directory: Directory) {
    this.#directory = directory
  }

  /** Withdraws what a change makes invalid. Called before the change, in its transaction if it has one. */
  async before({ what, data, rows }: Change): Promise<void> {
    if (what === 'member delete') {
      for (const row of await rows()) await this.#withdraw(row, undefined)
    }
    if (what === 'member update' && data['role'] !== undefined) {
      for (const row of await rows()) await this.#withdraw(row, text(data, 'role'))
    }
    if (what === 'account update' && data['password'] !== undefined) {
      for (const row of await rows()) await endResetsOf(this.#directory, text(row, 'userId'))
    }
  }

  /** Withdraws what the member may no longer offer. `role`: the member's new role; undefined: removed. */
  async #withdraw(member: Row, role: string | undefined): Promise<void> {
    const userId = text(member, 'userId')
    // The same lock order as an acceptance, which locks the inviter before it takes the invitation.
    await this.#directory.hold(userId)
    const next = role === undefined ? undefined : highestRole(role)
    for (const { id, role: offered } of await this.#directory.invitationsBy(userId, text(member, 'organizationId'))) {
      if (!mayInvite(next, offered)) await this.#directory.cancelInvitation(id)
    }
    if (!mayInvite(next, null)) await endResetsBy(this.#directory, userId)
  }
}
