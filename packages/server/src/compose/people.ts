/** Creates the services for identity: the embedded or an external provider, its tokens, its members and the sign-in. */
import path from 'node:path'
import type { Access } from '../access/access.ts'
import { CompanyMembership } from '../access/company-membership.ts'
import { MemberAccess } from '../access/member-access.ts'
import { PeopleLog } from '../audit/people-log.ts'
import { externalKeys, embeddedKeys, ProviderKeys, type KeySource } from '../auth/jwks.ts'
import type { Organizations } from '../auth/organizations.ts'
import { ExternalMembers } from '../auth/external-members.ts'
import { ProviderTokens, type TokenRules } from '../auth/provider-tokens.ts'
import type { ReadValidator } from '../consistency/read-validator.ts'
import { acceptsAnyAudience, type Config } from '../config.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { ClientLimits } from './client-limits.ts'
import { accountMails } from './mail.ts'
import { isLoopback, type Platform } from './platform.ts'
import type { Web } from '../http/services.ts'
import { fetchPage } from '../http/pages/fetch-page.ts'
import type { Observer } from '../http/funnel.ts'
import { identityAnswer } from '../http/pages/identity-pages.ts'
import { atOwnHost } from '../http/pages/own-host.ts'
import type { Pages } from '../http/server.ts'
import { openIdentityFile, openIdentitySchema, type IdentityDatabase } from '../identity/database.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import type { ClientSessions } from '../identity/client-sessions.ts'
import { maxHashes } from '../identity/hashing.ts'
import { namesOpenToOthers } from '../storage/data-directory.ts'

/** Returns the origins of the service. On localhost, these are all loopback addresses, since people type any of them. */
function trustedOrigins(publicUrl: string): string[] {
  const { origin, hostname, port } = new URL(publicUrl)
  return hostname === 'localhost' ? [origin, `http://127.0.0.1:${port}`, `http://[::1]:${port}`] : [origin]
}

function identityDatabase({ config, store }: Platform): Promise<IdentityDatabase> {
  const { DATABASE_URL, DATA_DIR, REPLICA_URL } = config
  return DATABASE_URL === undefined
    ? openIdentityFile(path.join(DATA_DIR, 'identity.db'), REPLICA_URL === undefined ? 'own' : 'by replica')
    : openIdentitySchema(DATABASE_URL, store.sql, store.watch)
}

/** The embedded provider, or undefined with an external provider. */
type Identity = EmbeddedProvider | undefined

interface IdentityParts {
  readonly keyring: Keyring
  readonly validator: ReadValidator
  readonly organizations: Organizations
  readonly access: Access
  readonly sessions: ClientSessions
}

/** Opens the embedded provider. Returns undefined with an external provider. */
export async function openIdentity(
  platform: Platform,
  { keyring, validator: { logicalClock }, organizations, access, sessions }: IdentityParts,
): Promise<Identity> {
  const { config, publicUrl, store, clock, log } = platform
  if (config.IDP_ISSUER !== undefined) return undefined
  const people = new PeopleLog({
    sql: store.sql,
    orgIdOf: (...organization) => organizations.find(...organization),
    clock,
    log,
    isRequired: config.AUDIT_REQUIRED === 'yes',
    memberChanges: new MemberAccess({ clock, access }),
  })
  const membership = new CompanyMembership({ sql: store.sql, clock, organizations, access })
  // Imported only where it is used: loading its library takes longer than the rest of the start.
  const { EmbeddedProvider: Embedded } = await import('../identity/embedded.ts')
  return Embedded.open({
    database: await identityDatabase(platform),
    sql: store.sql,
    logicalClock,
    publicUrl,
    origins: trustedOrigins(publicUrl),
    secret: keyring.secretFor('identity'),
    signUp: config.SIGN_UP,
    organizationsPerPerson: config.ORGANIZATIONS_PER_PERSON,
    maxHashes: maxHashes(config.PASSWORD_HASHES, config.WORKERS),
    hasher: platform.passwordHasher,
    clientSessions: sessions,
    mails: accountMails(platform, keyring),
    companies: config.COMPANIES,
    record: (note) => people.record(note),
    reportGroups: (report) => membership.apply(report),
    clock,
    log,
  })
}

/** Returns who reports the groups of people. */
export function reportingProviders({ IDP_GROUPS_CLAIM, COMPANIES }: Config): 'external' | string[] {
  if (IDP_GROUPS_CLAIM !== undefined) return 'external'
  return COMPANIES.filter(({ groupsClaim }) => groupsClaim !== undefined).map(({ name }) => name)
}

export function externalMembers({ config, clock, log }: Platform): ExternalMembers {
  const { IDP_MEMBERSHIP_URL: url, IDP_MEMBERSHIP_TOKEN: token, IDP_GROUPS_CLAIM, IDP_OWNERS: ownerIds } = config
  return new ExternalMembers({ url, token, ownerIds, hasGroups: IDP_GROUPS_CLAIM !== undefined }, clock, log)
}

function keySource({ config }: Platform, identity: Identity): KeySource {
  return identity
    ? embeddedKeys(identity.issuer, () => identity.keys())
    : externalKeys(config.IDP_ISSUER ?? '', config.IDP_JWKS_URL)
}

function tokenRules({ config, publicUrl }: Platform, identity: Identity): TokenRules {
  if (identity) {
    const claims = { orgIdClaim: 'org_id', orgSlugClaim: 'org_slug' }
    return { issuer: identity.issuer, audience: publicUrl, authorizedParties: [], clientId: undefined, ...claims }
  }
  return {
    issuer: config.IDP_ISSUER ?? '',
    audience: config.IDP_AUDIENCE,
    authorizedParties: config.IDP_AUTHORIZED_PARTIES,
    clientId: config.IDP_CLIENT_ID,
    orgIdClaim: config.IDP_ORG_ID_CLAIM,
    orgSlugClaim: config.IDP_ORG_SLUG_CLAIM,
    organization: config.IDP_ORG,
    requiredClaims: config.IDP_REQUIRED_CLAIMS,
    groupsClaim: config.IDP_GROUPS_CLAIM,
  }
}

export function providerTokensOf(platform: Platform, identity: Identity): ProviderTokens {
  const { clock, log } = platform
  const keys = new ProviderKeys(keySource(platform, identity), clock, log)
  return new ProviderTokens(tokenRules(platform, identity), keys, clock)
}

export async function webOf(
  { config, publicUrl, clock, log }: Platform,
  identity: Identity,
  tokens: ProviderTokens,
): Promise<Web> {
  const { IDP_ISSUER, IDP_CLIENT_ID, IDP_SCOPES, IDP_GROUPS_CLAIM } = config
  if (identity) {
    const { hasPasskeys: passkeys } = identity
    const companies = config.COMPANIES.map(({ name, label, groupsClaim }) => ({
      name,
      label,
      groups: groupsClaim !== undefined,
    }))
    const { SIGN_UP: signUp, DEMO: isDemo, SMTP_URL, MAIL_RESETS } = config
    const mailsResets = SMTP_URL !== undefined && MAIL_RESETS === 'yes' ? true : undefined
    return { provider: 'embedded', signUp, passkeys, companies, mailsResets, isDemo, isSetUp: () => identity.isSetUp() }
  }
  const groups = IDP_GROUPS_CLAIM !== undefined
  if (IDP_ISSUER === undefined || IDP_CLIENT_ID === undefined)
    return { provider: 'external', signIn: undefined, groups }
  const { WebSignIn } = await import('../auth/web-sign-in.ts')
  const redirectUri = `${publicUrl}/auth/callback`
  const client = { issuer: IDP_ISSUER, clientId: IDP_CLIENT_ID, scopes: IDP_SCOPES, redirectUri }
  return { provider: 'external', signIn: new WebSignIn({ client, tokens, clock, log }), groups }
}

interface PageLimits extends Pick<ClientLimits, 'addressOf' | 'pendingBodies' | 'rateLimits'> {
  readonly observer: Observer
}

export function identityPages({ publicUrl }: Platform, identity: Identity, pageLimits: PageLimits): Pages {
  if (!identity) return {}
  const answer = fetchPage({
    handle: (request) => identity.handle(request),
    publicUrl,
    addressOf: pageLimits.addressOf,
    addressHeader: identity.clientAddressHeader,
    pendingBodies: pageLimits.pendingBodies,
  })
  const pages = identityAnswer({ answer, rateLimitOf: identity.kindOf, ...pageLimits })
  const metadata = JSON.stringify(identity.metadata)
  return {
    '/.well-known/openid-configuration': (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(metadata)
    },
    // The keys are part of discovery: other services may request them under a host name of their network.
    [`${identity.basePath}/jwks`]: pages,
    [`${identity.basePath}/`]: atOwnHost(publicUrl, pages),
  }
}

export function warnOfGaps({ config, publicUrl, log }: Platform): void {
  if (!isLoopback(config.HOST) && !publicUrl.startsWith('https:')) {
    log.warn(
      'listening beyond this machine without an https ROLLKEY_PUBLIC_URL: values and credentials cross the network unencrypted, and cookies have no Secure flag',
      { address: config.HOST },
    )
  }
  const open = namesOpenToOthers(config.DATA_DIR)
  if (open.length > 0) {
    log.warn('other users can access the data directory: run chmod -R go= with its path', {
      path: path.resolve(config.DATA_DIR),
      name: open.join(', '),
    })
  }
  if (config.IDP_ISSUER === undefined) return
  if (config.IDP_MEMBERSHIP_URL === undefined) {
    log.warn('no ROLLKEY_IDP_MEMBERSHIP_URL: members who are removed at the provider keep their sessions')
  }
  if (config.IDP_CLIENT_ID === undefined) {
    log.warn('no ROLLKEY_IDP_CLIENT_ID: no one can sign in to the web application')
  }
  if (acceptsAnyAudience(config)) {
    log.warn(
      'no ROLLKEY_IDP_AUDIENCE, ROLLKEY_IDP_AUTHORIZED_PARTIES or ROLLKEY_IDP_CLIENT_ID: tokens that the identity provider issues to any other application are accepted',
    )
  }
}
