/** Mails that people get and can do without (docs/notifications.md). */

const descriptions = {
  approval: 'A change waits for your approval',
  applied: 'Your change was applied',
  failed: 'Your change could not be applied',
  token: 'A service token that you made ends within seven days',
  secret: 'A secret that you own is due for another value',
  hook: 'A webhook was switched off',
} as const satisfies Record<string, string>

/** A kind of mail that a person can do without. */
export type MailKind = keyof typeof descriptions

/**
 * The kinds of mail that a person can do without, each with what it tells.
 *
 * @example mailKinds.approval // 'A change waits for your approval'
 */
export const mailKinds: Readonly<Record<MailKind, string>> = descriptions
