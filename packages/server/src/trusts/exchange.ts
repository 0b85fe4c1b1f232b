/**
 * Exchanges a token of another service for an access token of a trust (RFC 8693). A trust from memory saves a round trip to the
 * database. It may be out of date, which the transaction finds out by its version; then the stored one decides.
 */
import type { RequiredClaim } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { newId, newToken } from '../base/random.ts'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import { noReads } from '../consistency/read-set.ts'
import type { LogicalClock } from '../consistency/read-validator.ts'
import type { Refusals } from '../audit/refusals.ts'
import { hashOfToken } from '../sessions/tokens.ts'
import { trustActorOf } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import { insertServiceToken } from '../storage/service-tokens.ts'
import { insertAccessToken, insertSession } from '../storage/sessions.ts'
import type { Sql } from '../storage/sql.ts'
import { isTrustOf, trustById, useTrust, type TrustRow } from '../storage/trusts.ts'
import type { TrustedIssuers } from './issuer-keys.ts'
import { examine, problemOf, readToken, shown, unreadable, type Examination, type ReadToken } from './external-token.ts'
import { OAuthError } from './oauth-error.ts'
import { rulesOf } from './trusts.ts'

export interface Exchanged {
  readonly accessToken: string
  readonly lifetimeSec: number
}

/** Claims that tell one run of a workload from another, for the audit log. */
const runClaims = ['sub', 'jti', 'run_id', 'job_id', 'actor']
/** Characters of a claim, and of all together, in the audit log. */
const [maxClaimCharacters, maxEvidenceCharacters] = [200, 1_000]
const maxInMemory = 1_000

/** Thrown to roll back: the trust was changed since it was read. */
class TrustChanged extends OAuthError {
  constructor() {
    super('invalid_grant', 'The trust was changed during the exchange: exchange the token again.')
  }
}

interface TokenExchangeParts {
  readonly sql: Sql
  readonly issuers: TrustedIssuers
  readonly refusals: Pick<Refusals, 'add'>
  readonly clock: Clock
  readonly logicalClock: LogicalClock
}

export class TokenExchange {
  readonly #sql: Sql
  readonly #issuers: TrustedIssuers
  readonly #refusals: Pick<Refusals, 'add'>
  readonly #clock: Clock
  /** Trusts for which tokens were exchanged, by id. */
  readonly #known: CoherentCache<TrustRow>
  readonly #logicalClock: LogicalClock

  constructor(parts: TokenExchangeParts) {
    this.#sql = parts.sql
    this.#issuers = parts.issuers
    this.#refusals = parts.refusals
    this.#clock = parts.clock
    this.#logicalClock = parts.logicalClock
    this.#known = new CoherentCache({ max: maxInMemory, logicalClock: parts.logicalClock })
  }

  /** Throws OAuthError. */
  async exchange(
    subjectToken: string,
    trustId: string,
    requestId: string,
    /** The organization that the trust must belong to; absent: any. */
    orgSlug?: string,
  ): Promise<Exchanged> {
    const token = readToken(subjectToken)
    if (!token) throw new OAuthError('invalid_grant', `The token ${unreadable}`)
    if (orgSlug !== undefined && !(await isTrustOf(this.#sql, trustId, orgSlug))) throw unknownTrust()
    return (await this.#exchangeKnown(token, trustId, requestId)) ?? this.#exchangeStored(token, trustId, requestId)
  }

  /** Returns undefined unless the trust is in memory, accepts the token and was not changed. */
  async #exchangeKnown(token: ReadToken, trustId: string, requestId: string): Promise<Exchanged | undefined> {
    const row = this.#known.peek(trustId, noReads)
    if (!row || problemOf(await this.#examine(row, token)) !== undefined) return undefined
    try {
      return await this.#issue(row, token, requestId)
    } catch (error) {
      this.#known.forget(trustId)
      if (error instanceof TrustChanged) return undefined
      throw error
    }
  }

  async #exchangeStored(token: ReadToken, trustId: string, requestId: string): Promise<Exchanged> {
    const asOf = this.#logicalClock.next()
    const row = await trustById(this.#sql, trustId)
    if (!row || row.issuer !== token.payload['iss']) throw unknownTrust()
    await this.#assertAccepted(row, token, requestId)
    const exchanged = await this.#issue(row, token, requestId)
    this.#known.replace(trustId, row, asOf)
    return exchanged
  }

  #examine(row: TrustRow, token: ReadToken): Promise<Examination> {
    const rules = rulesOf(row)
    return examine(token, rules, this.#issuers.keysOf(rules), this.#clock.now())
  }

  async #assertAccepted(row: TrustRow, token: ReadToken, requestId: string): Promise<void> {
    const examination = await this.#examine(row, token)
    const problem = problemOf(examination)
    if (problem === undefined) return
    if (examination.signature === 'unavailable') throw new OAuthError('temporarily_unavailable', problem)
    // Only who has a token of the issuer can write to the audit log.
    if (examination.signature === 'valid') this.#refusals.add(actorOf(row, requestId), 'trustExchange', 'FORBIDDEN')
    throw new OAuthError('invalid_grant', problem)
  }

  async #issue(row: TrustRow, token: ReadToken, requestId: string): Promise<Exchanged> {
    const accessToken = newToken('svc_at_')
    const id = newId('ses')
    const { org_id: orgId, project_slug: projectSlug, stage_slug: stageSlug, role, name } = row
    await this.#sql.tx(async (tx) => {
      const nowMs = this.#clock.now()
      const expiresAtMs = nowMs + row.lifetime_sec * 1_000
      const scope = { projectSlug, stageSlug, role, history: row.history === 1 }
      const facts = { sessionId: id, evidence: evidenceOf(row, token) }
      // Sent together, in this order: sequentially, each statement would cost a round trip to PostgreSQL.
      const [isCurrent] = await Promise.all([
        useTrust(tx, row.id, row.version, nowMs),
        insertSession(tx, { id, orgId, userId: row.id, clientName: null, nowMs, memberSeenAtMs: nowMs }),
        insertAccessToken(tx, id, { hash: hashOfToken(accessToken), expiresAtMs }),
        insertServiceToken(tx, { id, name, ...scope, createdBy: row.id, trustId: row.id }),
        appendAudit(tx, actorOf(row, requestId), { action: 'trust.exchange', nowMs, facts }),
      ])
      if (!isCurrent) throw new TrustChanged()
    })
    return { accessToken, lifetimeSec: row.lifetime_sec }
  }
}

/** Returns the refusal of an id. It is always the same, so that no one learns which trusts there are. */
function unknownTrust(): OAuthError {
  return new OAuthError(
    'invalid_target',
    'No trust for the issuer of the token has this id (expected tru_…): copy the id from the trust.',
  )
}

function actorOf({ org_id: orgId, id, name }: TrustRow, requestId: string) {
  return trustActorOf({ orgId, userId: id }, name, requestId)
}

/** Returns what identifies the workload, for the audit log: the claims that the trust requires, and those that tell runs apart. */
function evidenceOf(row: TrustRow, { payload }: ReadToken): RequiredClaim[] {
  const names = new Set([...rulesOf(row).claims.map(({ name }) => name), ...runClaims])
  const claims = [...names].filter((name) => Object.hasOwn(payload, name))
  const maxCharacters = Math.min(maxClaimCharacters, Math.floor(maxEvidenceCharacters / claims.length))
  return claims.map((name) => ({ name, value: shown(payload[name], maxCharacters) }))
}
