/**
 * What people lose with their rights: a removal or a lower role withdraws the invitations that they can no longer make and the
 * links for passwords that they asked for, and a new password ends every link that would set another. What is withdrawn stays
 * so when the rights come back. Whether an invitation or a link still counts is judged again when it is used, whatever this missed.
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

  /** Called before a change is made, in its transaction if it has one. */
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

  /** `role`: what the member will be; undefined: removed. */
  async #withdraw(member: Row, role: string | undefined): Promise<void> {
    const userId = text(member, 'userId')
    // In the order of an acceptance, which holds the inviter before it takes the invitation.
    await this.#directory.hold(userId)
    const next = role === undefined ? undefined : highestRole(role)
    for (const { id, role: offered } of await this.#directory.invitationsBy(userId, text(member, 'organizationId'))) {
      if (!mayInvite(next, offered)) await this.#directory.cancelInvitation(id)
    }
    if (!mayInvite(next, null)) await endResetsBy(this.#directory, userId)
  }
}
