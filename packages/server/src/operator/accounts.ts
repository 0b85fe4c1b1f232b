/** The commands of the embedded identity provider (docs/identity.md). */
import { z } from 'zod'
import { operatorActorOf } from '../storage/actor.ts'
import { wasDeleted } from '../storage/deletion.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import { organizationSlug } from '../identity/rules.ts'
import { CommandError, usage } from './command-error.ts'
import { storeCommand, type Installation } from './command.ts'

function embedded({ identity }: Installation): EmbeddedProvider {
  if (identity) return identity
  throw new CommandError(
    'INVALID_SETTING',
    'This installation uses an external identity provider (ROLLKEY_IDP_ISSUER): manage accounts there.',
  )
}

const email = z.email()

function parseEmail(text: string, command: string, name = 'EMAIL'): string {
  const parsed = email.safeParse(text)
  if (!parsed.success) throw usage(`Invalid ${name} (expected an address such as ada@example.com).`, command)
  return parsed.data
}

export const setup = storeCommand<{ email: string; org: string }>({
  name: 'setup',
  args: [
    ['<EMAIL>', 'address of the user, who becomes the owner'],
    ['<ORG>', 'slug of the organization'],
  ],
  summary: "Create a user and an organization if they don't exist, and log in as the user",
  examples: [['setup ada@example.com demo', 'prints an access token, a refresh token and a password link']],
  startsStore: true,
  async runOnStore(installation, { email: user, org: slug }) {
    const identity = embedded(installation)
    if (!organizationSlug.test(slug)) {
      throw usage('Invalid ORG (expected 1 to 63 lowercase letters, digits and dashes).', 'setup')
    }
    if (await wasDeleted(installation.sql, slug))
      throw new CommandError('CONFLICT', 'An organization with this slug was deleted: choose another slug.')
    const { account, idpOrgId, passwordLink } = await identity.createOwner(parseEmail(user, 'setup'), slug)
    const orgId = await installation.organizations.idOf(idpOrgId, slug, operatorActorOf)
    const pair = await installation.sessions.open({ orgId, userId: account.id, clientName: 'rollkey-server setup' })
    return { email: account.email, idpUserId: account.id, orgId, orgSlug: slug, passwordLink, ...pair }
  },
})

export const setupLink = storeCommand({
  name: 'setup-link',
  summary: 'Print a new one-time link to create the first account and organization',
  examples: [['setup-link', 'valid for one hour; invalidates the previous link']],
  async runOnStore(installation) {
    const link = await embedded(installation).setupLink({ renew: true })
    if (link !== undefined) return { setupLink: link }
    throw new CommandError(
      'CONFLICT',
      'An account already exists: sign in, or print a password link',
      'reset-link EMAIL',
    )
  },
})

export const resetLink = storeCommand<{ email: string }>({
  name: 'reset-link',
  args: [['<EMAIL>', 'address of the account']],
  summary: 'Print a one-time link to set a new password',
  examples: [['reset-link ada@example.com', 'valid for one hour']],
  async runOnStore(installation, { email: user }) {
    const link = await embedded(installation).resetLink(parseEmail(user, 'reset-link'))
    if (link === undefined) throw new CommandError('NOT_FOUND', 'No account has this email address.')
    return { passwordLink: link }
  },
})

export const setEmail = storeCommand<{ old: string; new: string }>({
  name: 'set-email',
  args: [
    ['<OLD>', 'present address of the account'],
    ['<NEW>', 'address with which the person signs in from now on'],
  ],
  summary: 'Change the email of an account, which keeps its passkeys, grants and sessions',
  examples: [['set-email ada@example.com ada@example.org', 'also ends password links of the account']],
  async runOnStore(installation, { old, new: next }) {
    const identity = embedded(installation)
    const [from, to] = [parseEmail(old, 'set-email', 'OLD'), parseEmail(next, 'set-email', 'NEW').toLowerCase()]
    const outcome = await identity.setEmail(from, to)
    if (outcome === 'missing') throw new CommandError('NOT_FOUND', 'No account has the email address OLD.')
    if (outcome === 'taken') throw new CommandError('CONFLICT', 'An account has the email address NEW already.')
    return { email: to }
  },
})

export const secondFactorRemove = storeCommand<{ email: string }>({
  name: 'second-factor remove',
  args: [['<EMAIL>', 'address of the account']],
  summary: 'Remove the second factor of an account whose owner has lost the app and the recovery codes',
  examples: [['second-factor remove ada@example.com', 'the password alone signs in again']],
  async runOnStore(installation, { email: user }) {
    const removed = await embedded(installation).removeSecondFactor(parseEmail(user, 'second-factor remove'))
    if (removed === undefined) throw new CommandError('NOT_FOUND', 'No account has this email address.')
    return { removed }
  },
})

export const signingKeysRevoke = storeCommand({
  name: 'signing-keys revoke',
  summary: 'Replace the signing keys, which invalidates all tokens that they signed; people stay signed in',
  examples: [['signing-keys revoke', 'after a key may have leaked']],
  async runOnStore(installation) {
    await embedded(installation).revokeSigningKeys()
    return { revoked: true }
  },
})
