/** Trusts: whose tokens can be exchanged for access tokens, and what these may do (docs/trusts.md). */
import { createHash } from 'node:crypto'
import {
  claimsProblem,
  limits,
  wellKnownIssuer,
  type Place,
  type Request,
  type RequiredClaim,
  type Trust,
  type TrustTest,
} from '@rollkey/contract'
import type { Access } from '../access/access.ts'
import type { ChangeRequest } from '../access/change-request.ts'
import { assertMayIssue, revokeEvent } from '../access/grants.ts'
import { noTrust } from '../access/principals.ts'
import { trustEvent } from '../access/events.ts'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/random.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { deleteGrantsOf, requirePlace } from '../storage/access.ts'
import { addTrustMaker } from '../storage/makers.ts'
import type { Reader } from '../storage/sql.ts'
import * as store from '../storage/trusts.ts'
import type { TrustRow } from '../storage/trusts.ts'
import type { TrustedIssuers } from './issuer-keys.ts'
import { examine, problemOf, readToken, type TrustRules } from './external-token.ts'
import { checkedKeys } from './pasted-keys.ts'

type NewTrust = Omit<Request<'trustCreate'>, 'orgSlug'>
type Changes = Omit<Request<'trustUpdate'>, 'orgSlug' | 'id'>
type Test = Omit<Request<'trustTest'>, 'orgSlug'>

/** Returns whether trusts with this scope are meant. */
type IncludesPlace = (place: Place) => boolean

export class Trusts {
  readonly #sql: Reader
  readonly #access: Access
  readonly #sessions: Sessions
  readonly #issuers: TrustedIssuers
  readonly #clock: Clock
  readonly #publicUrl: string

  constructor(parts: {
    sql: Reader
    access: Access
    sessions: Sessions
    issuers: TrustedIssuers
    clock: Clock
    publicUrl: string
  }) {
    this.#sql = parts.sql
    this.#access = parts.access
    this.#sessions = parts.sessions
    this.#issuers = parts.issuers
    this.#clock = parts.clock
    this.#publicUrl = parts.publicUrl
  }

  /** Returns the trusts of places that `includes` accepts, oldest first. */
  async list(orgId: string, includes: IncludesPlace): Promise<Trust[]> {
    const rows = await store.trustsOf(this.#sql, orgId)
    return rows
      .filter((row) => includes(placeOf(row)))
      .toSorted((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1))
      .map(trustOf)
  }

  /** Returns the trust of a token that was exchanged; undefined if it was deleted. */
  async find(id: string): Promise<Trust | undefined> {
    const row = await store.trustById(this.#sql, id)
    return row && trustOf(row)
  }

  /** Creates a trust. Throws INVALID_REQUEST, FORBIDDEN, NOT_FOUND and CONFIRMATION_REQUIRED. */
  async create(by: ChangeRequest, request: NewTrust): Promise<Trust> {
    const { actor, permissions } = by
    const { policy } = permissions
    const nowMs = this.#clock.now()
    const row: TrustRow = {
      id: newId('tru'),
      org_id: policy.id,
      name: request.name,
      ...this.#rulesOf(request),
      project_slug: request.projectSlug ?? null,
      stage_slug: request.stageSlug ?? null,
      role: request.role,
      history: Number(request.history),
      lifetime_sec: request.lifetimeSeconds,
      version: 0,
      created_by: actor.id,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      last_used_at_ms: null,
    }
    assertMayTrust(by, row)
    if (policy.grants.filter(({ isOwn }) => isOwn).length >= limits.trusts)
      throw new ApiError(
        'INVALID_REQUEST',
        `The organization has ${limits.trusts} trusts (the maximum): delete one that is not needed.`,
      )
    await this.#access.change(policy, actor, async (tx) => {
      await requirePlace(tx, policy.id, placeOf(row))
      await store.insertTrust(tx, row)
      return [trustEvent('trust.create', namedAt(row), undefined, stateOf(row))]
    })
    return trustOf(row)
  }

  /**
   * Changes a trust and ends its tokens. Whatever changes, the caller must be allowed all that the trust allows: new claims give that to
   * other workloads. Throws NOT_FOUND and what `create` throws.
   */
  async update(by: ChangeRequest, id: string, changes: Changes): Promise<Trust> {
    const { actor, permissions } = by
    const former = await this.#managed(by, id)
    const { name, role, history, lifetimeSeconds, jwks, ...rules } = { ...trustOf(former), ...changesIn(changes) }
    const row: TrustRow = {
      ...former,
      name,
      ...this.#rulesOf({ ...rules, jwks: jwks ?? undefined }),
      role,
      history: Number(history),
      lifetime_sec: lifetimeSeconds,
      updated_at_ms: this.#clock.now(),
    }
    assertMayTrust(by, row)
    try {
      await this.#access.change(permissions.policy, actor, async (tx) => {
        await requirePlace(tx, permissions.policy.id, placeOf(row))
        if (!(await store.updateTrust(tx, row))) throw noTrust()
        if (acceptsOthers(former, row)) await addTrustMaker(tx, id, actor.id)
        await store.endTokensOfTrust(tx, id, row.updated_at_ms)
        return [trustEvent('trust.update', namedAt(row), stateOf(former), stateOf(row))]
      })
    } finally {
      // A commit whose answer was lost may have succeeded.
      this.#sessions.forgetTrust(id)
    }
    return trustOf(row)
  }

  /** Deletes a trust with its grants, and ends its tokens. Throws NOT_FOUND. */
  async delete(by: ChangeRequest, id: string): Promise<void> {
    const former = await this.#managed(by, id)
    const { policy } = by.permissions
    try {
      await this.#access.change(policy, by.actor, async (tx) => {
        if (!(await store.deleteTrust(tx, id))) throw noTrust()
        await store.endTokensOfTrust(tx, id, this.#clock.now())
        const revoked = await deleteGrantsOf(tx, policy.id, `trust:${id}`)
        return [...revoked.map(revokeEvent), trustEvent('trust.delete', namedAt(former), stateOf(former), undefined)]
      })
    } finally {
      this.#sessions.forgetTrust(id)
    }
  }

  /** Compares a token with a trust, or with the rules of one. Throws NOT_FOUND and INVALID_REQUEST. */
  async test(by: Pick<ChangeRequest, 'permissions'>, { token, id, trust }: Test): Promise<TrustTest> {
    const rules =
      id === undefined ? this.#checked(trust as NonNullable<Test['trust']>) : rulesOf(await this.#managed(by, id))
    const examination = await examine(readToken(token.trim()), rules, this.#issuers.keysOf(rules), this.#clock.now())
    const problem = problemOf(examination)
    return { accepted: problem === undefined, problem, ...examination }
  }

  /** Returns the row of a trust that the caller manages. Throws NOT_FOUND. */
  async #managed({ permissions }: Pick<ChangeRequest, 'permissions'>, id: string): Promise<TrustRow> {
    const row = await store.trustById(this.#sql, id)
    if (row?.org_id !== permissions.policy.id || !permissions.allows('manage', placeOf(row))) throw noTrust()
    return row
  }

  /** Returns the columns that decide about tokens. Throws INVALID_REQUEST. */
  #rulesOf(given: NonNullable<Test['trust']>) {
    const { issuer, audience, claims, forks, jwks } = this.#checked(given)
    return { issuer, audience, claims: JSON.stringify(claims), forks: Number(forks), jwks: jwks ?? null }
  }

  /** Returns the rules with what applies by default. Throws INVALID_REQUEST. */
  #checked({
    issuer,
    audience = this.#publicUrl,
    claims,
    forks = false,
    jwks,
  }: NonNullable<Test['trust']>): TrustRules {
    const problem = claimsProblem(issuer, claims)
    if (problem !== undefined) throw new ApiError('INVALID_REQUEST', problem)
    if (jwks === undefined && !this.#issuers.includes(issuer))
      throw new ApiError(
        'INVALID_REQUEST',
        'The service does not know this issuer, and connects to no address that a member names: paste its public keys as jwks, or ask the operator to add it to ROLLKEY_TRUSTED_ISSUERS.',
      )
    if (jwks !== undefined && wellKnownIssuer(issuer))
      throw new ApiError(
        'INVALID_REQUEST',
        'The service fetches the keys of this issuer itself, as the platform replaces them: leave out jwks.',
      )
    return { issuer, audience, claims, forks, jwks: jwks === undefined ? undefined : checkedKeys(jwks) }
  }
}

/** Throws FORBIDDEN or CONFIRMATION_REQUIRED unless the caller may give a workload what the trust gives, with its grants. */
function assertMayTrust({ permissions, assertConfirmed }: ChangeRequest, row: TrustRow): void {
  const { policy } = permissions
  const granted = policy.grantsOf(`trust:${row.id}`).filter(({ isOwn }) => !isOwn)
  assertMayIssue(permissions, [{ ...placeOf(row), verbs: policy.verbsOf(row.role) }, ...granted], assertConfirmed)
}

/** Returns whether a trust accepts other tokens than before. Who decides that can act as the trust. */
function acceptsOthers(former: TrustRow, row: TrustRow): boolean {
  return (['issuer', 'audience', 'claims', 'jwks'] as const).some((field) => former[field] !== row[field])
}

/** The fields of a request that are present. */
type Present = { [Field in keyof Changes]?: Exclude<Changes[Field], undefined> }

function changesIn(changes: Changes): Present {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

function placeOf({ project_slug: projectSlug, stage_slug: stageSlug }: TrustRow): Place {
  return { projectSlug: projectSlug ?? undefined, stageSlug: stageSlug ?? undefined }
}

function namedAt(row: TrustRow) {
  return { id: row.id, name: row.name, ...placeOf(row) }
}

/** Returns the part of a trust that decides about tokens. */
export function rulesOf({ issuer, audience, claims, forks, jwks }: TrustRow): TrustRules {
  return {
    issuer,
    audience,
    claims: JSON.parse(claims) as RequiredClaim[],
    forks: forks === 1,
    jwks: jwks ?? undefined,
  }
}

/** Returns what the audit log says about a trust. Of pasted keys it has a digest. */
function stateOf(row: TrustRow) {
  const { issuer, audience, claims, forks, jwks } = rulesOf(row)
  return {
    name: row.name,
    role: row.role,
    issuer,
    audience,
    keys: jwks === undefined ? 'fetched' : createHash('sha256').update(jwks).digest('hex').slice(0, 16),
    claims: [...claims],
    forks,
    history: row.history === 1,
    lifetimeSeconds: row.lifetime_sec,
  }
}

function trustOf(row: TrustRow): Trust {
  return {
    id: row.id,
    name: row.name,
    ...rulesOf(row),
    claims: JSON.parse(row.claims) as Trust['claims'],
    ...placeOf(row),
    role: row.role,
    history: row.history === 1,
    lifetimeSeconds: row.lifetime_sec,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    lastUsedAtMs: row.last_used_at_ms ?? undefined,
  }
}
