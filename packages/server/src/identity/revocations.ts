/**
 * Revokes invitations and links together with rights. A removal or a lower role revokes the invitations that the person can
 * no longer make and the password links that the person requested. A new password revokes every link that would set another.
 * Restored rights do not restore them. Using an invitation or a link checks the rights again, in case this missed one.
 */
import { mayInvite, highestRole, type Directory } from './directory.ts'
import { isNewPassword } from './marked-passwords.ts'
import { revokeResetsBy, revokeResetsOf } from './resets.ts'
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

  /** Revokes the invitations and links that a change makes invalid. Called before the change, in its transaction if it has one. */
  async before({ operation, data, rows }: Change): Promise<void> {
    if (operation === 'member delete') {
      for (const row of await rows()) {
        await this.#revoke(row, undefined)
        // A person who was removed does not join again without an invitation.
        await this.#directory.rememberMember(text(row, 'organizationId'), text(row, 'userId'))
      }
    }
    if (operation === 'member update' && data['role'] !== undefined) {
      for (const row of await rows()) await this.#revoke(row, text(data, 'role'))
    }
    if (operation === 'account update' && data['password'] !== undefined) {
      const changed = (await rows()).filter((row) => isNewPassword(row, data))
      for (const row of changed) await revokeResetsOf(this.#directory, text(row, 'userId'))
    }
  }

  /** Revokes what the member may no longer offer. `role`: the member's new role; undefined: removed. */
  async #revoke(member: Row, role: string | undefined): Promise<void> {
    const userId = text(member, 'userId')
    // The same lock order as an acceptance, which locks the inviter before the invitation.
    await this.#directory.lock(userId)
    const next = role === undefined ? undefined : highestRole(role)
    for (const { id, role: offered } of await this.#directory.invitationsBy(userId, text(member, 'organizationId'))) {
      if (!mayInvite(next, offered)) await this.#directory.cancelInvitation(id)
    }
    if (!mayInvite(next, null)) await revokeResetsBy(this.#directory, userId)
  }
}
