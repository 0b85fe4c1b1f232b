/** Trusts, which let tokens of other services be exchanged for access tokens (docs/trusts.md). */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import { ok, type Endpoint } from './endpoint.ts'

const lifetimeSeconds = z
  .number()
  .int()
  .min(limits.exchangedTokenMinSec)
  .max(limits.exchangedTokenMaxSec)
  .describe('Lifetime of the access tokens, in seconds')
const history = z.boolean().describe('Whether it may read the history and, unless it is read-only, restore')
const forks = z
  .boolean()
  .describe('Whether runs for pull requests, and for merge requests from forks, get tokens: anyone may cause them')
const jwks = z
  .string()
  .max(limits.trustKeysCharacters)
  .describe('Public keys of the issuer as a JSON Web Key Set (RFC 7517)')
const place = {
  projectSlug: field.projectSlug.optional().describe('The only project in its scope; absent: all'),
  stageSlug: field.stageSlug.optional().describe('The only stage in its scope; absent: all'),
}

/** A trust. */
const trust = z
  .object({
    id: field.trustId,
    name: field.trustName,
    issuer: field.issuer,
    audience: field.audience,
    claims: field.claims,
    ...place,
    role: field.machineRole.describe('What its tokens may do within the scope'),
    history,
    lifetimeSeconds,
    forks,
    jwks: jwks.optional().describe('Public keys that were pasted, as a JSON Web Key Set; absent: those of the issuer'),
    createdBy: z.string().describe('Id of the user who created it at the identity provider'),
    createdAtMs: field.timeMs.describe('When it was created, Unix time in milliseconds'),
    updatedAtMs: field.timeMs.describe('When it was last changed, Unix time in milliseconds'),
    lastUsedAtMs: field.timeMs
      .optional()
      .describe('When a token was last exchanged, Unix time in milliseconds; absent: never'),
  })
  .meta({ id: 'Trust', description: 'A trust in the tokens of an issuer' })

/** A text that a token has, next to the one that the trust requires. */
const comparison = z
  .object({
    expected: z.string().describe('What the trust requires'),
    actual: z.string().optional().describe('What the token has; other values than texts as JSON; absent: nothing'),
    matches: z.boolean().describe('Whether the token is what the trust requires'),
  })
  .meta({ id: 'TrustComparison', description: 'A text of a token beside the one that the trust requires' })

/** The part of a trust that decides about tokens. */
const rules = {
  issuer: field.issuer,
  audience: field.audience.optional().describe('Audience that tokens must name; absent: the public URL of the service'),
  claims: field.claims,
  forks: forks.optional().describe('Whether runs for proposed changes get tokens; absent: no'),
  jwks: jwks.optional().describe('Public keys, as a JSON Web Key Set; absent: those of a known issuer'),
}

export const trusts = {
  /** Creates a trust. One whose tokens read a protected stage needs a fresh confirmation. */
  trustCreate: {
    method: 'POST',
    path: '/v1/trusts/create',
    manage: 'trusts.create',
    summary: 'Trust the tokens of an issuer that have certain claims',
    auth: 'person',
    verb: 'manage',
    request: z
      .object({
        orgSlug: field.orgSlug,
        name: field.trustName,
        ...rules,
        ...place,
        role: field.machineRole.describe('What its tokens may do within the scope'),
        history: history.default(false),
        lifetimeSeconds: lifetimeSeconds.default(limits.exchangedTokenSecByDefault),
      })
      .refine(({ projectSlug, stageSlug }) => stageSlug === undefined || projectSlug !== undefined, {
        message: 'must come with a projectSlug',
        path: ['stageSlug'],
      }),
    bodyBytes: limits.bodyBytes,
    response: () => trust,
    errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
  /** Lists the trusts whose scope the person manages. */
  trustList: {
    method: 'POST',
    path: '/v1/trusts/list',
    manage: 'trusts.list',
    summary: 'List the trusts of the organization',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ trusts: z.array(trust).describe('Oldest first') }),
    errors: [],
  },
  /** Changes a trust, except its scope, and ends its tokens on every node, starting with the next request. */
  trustUpdate: {
    method: 'POST',
    path: '/v1/trusts/update',
    manage: 'trusts.update',
    summary: 'Change a trust and end its tokens',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    repeatable: true,
    request: z.object({
      orgSlug: field.orgSlug,
      id: field.trustId,
      name: field.trustName.optional().describe('New name; absent: unchanged'),
      issuer: field.issuer.optional().describe('New issuer; absent: unchanged'),
      audience: field.audience.optional().describe('New audience; absent: unchanged'),
      claims: field.claims.optional().describe('All claims that a token must have from now on; absent: unchanged'),
      role: field.machineRole.optional().describe('New role; absent: unchanged'),
      history: history.optional().describe('Whether its tokens may read the history and restore; absent: unchanged'),
      lifetimeSeconds: lifetimeSeconds
        .optional()
        .describe('New lifetime of the access tokens, in seconds; absent: unchanged'),
      forks: forks.optional().describe('Whether runs for proposed changes get tokens; absent: unchanged'),
      jwks: jwks
        .nullable()
        .optional()
        .describe('New public keys, as a JSON Web Key Set; null: those of the issuer; absent: unchanged'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => trust,
    errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
  /** Deletes a trust and ends its tokens on every node, starting with the next request. */
  trustDelete: {
    method: 'POST',
    path: '/v1/trusts/delete',
    manage: 'trusts.delete',
    summary: 'Delete a trust and end its tokens',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    request: z.object({ orgSlug: field.orgSlug, id: field.trustId }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /** Compares a token with a trust, claim by claim. The token is neither stored nor logged, and nothing is issued for it. */
  trustTest: {
    method: 'POST',
    path: '/v1/trusts/test',
    manage: 'trusts.test',
    summary: 'Show what of a token a trust accepts, claim by claim',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    expensive: true,
    repeatable: true,
    request: z
      .object({
        orgSlug: field.orgSlug,
        token: z.string().min(1).max(limits.outsideTokenCharacters).describe('Token of the other service, a JWT'),
        id: field.trustId.optional().describe('Id of a trust; absent: the rules in trust'),
        trust: z
          .object(rules)
          .optional()
          .describe('Rules of a trust that does not exist yet; absent: the trust with id'),
      })
      .refine(({ id, trust: given }) => (id === undefined) !== (given === undefined), {
        message: 'must come with either an id or a trust',
        path: ['token'],
      }),
    bodyBytes: limits.exchangeBodyBytes,
    response: () =>
      z.object({
        accepted: z.boolean().describe('Whether the token could be exchanged now'),
        problem: z.string().optional().describe('The first reason against it, as a sentence; absent: it is accepted'),
        signature: z
          .enum(['valid', 'invalid', 'unavailable', 'unreadable'])
          .describe(
            'unavailable: the keys of the issuer cannot be fetched at the moment; unreadable: it is not a JWT that the service reads',
          ),
        issuer: comparison.describe('The claim iss'),
        audience: comparison.describe('The claim aud'),
        times: z
          .object({
            issuedAtMs: z.number().optional().describe('The claim iat, Unix time in milliseconds; absent: none'),
            notBeforeMs: z.number().optional().describe('The claim nbf, Unix time in milliseconds; absent: none'),
            expiresAtMs: z.number().optional().describe('The claim exp, Unix time in milliseconds; absent: none'),
            matches: z.boolean().describe('Whether the token is valid now and at most a day old'),
          })
          .describe('When the token is valid'),
        proposedChange: z
          .object({
            actual: z
              .boolean()
              .describe('Whether it is of a run for a pull request, or for a merge request from a fork'),
            matches: z.boolean().describe('Whether the trust accepts it in this respect'),
          })
          .describe('Whether anyone could have caused the run'),
        claims: z
          .array(comparison.extend({ name: field.claimName }).describe('A claim'))
          .describe('The claims of the trust, in its order'),
      }),
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>

/** A trust. */
export type Trust = z.output<typeof trust>
/** What a trust accepts of a token. */
export type TrustTest = z.output<ReturnType<(typeof trusts)['trustTest']['response']>>
