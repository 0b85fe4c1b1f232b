/** The values of the form for a new service token, and the request made from them. */
import type { May } from '../../lib/may.ts'
import { required } from '../../lib/validation.ts'
import { labels } from './labels.ts'
import type { TokenRequest } from '../../data/service-tokens.ts'
import { emptyScope, type ScopedDraft, placeIn, scopeChecks } from '../../parts/credentials/scoped-draft.ts'

export interface TokenDraft extends ScopedDraft, Record<string, unknown> {
  readonly name: string
  readonly history: boolean
  /** Lifetime in days. */
  readonly lifetime: string
}

export const lifetimes = Object.entries(labels.create.lifetimes).map(([value, label]) => ({ value, label }))

/** A longer lifetime needs a remark. */
export const longDays = 365

export const emptyToken: TokenDraft = {
  ...emptyScope,
  name: '',
  history: false,
  lifetime: '365',
}

export const tokenChecks = (may: May) => ({ name: required(labels.create.nameMissing), ...scopeChecks(may) })

export function tokenRequest(draft: TokenDraft): TokenRequest {
  const { name, role, history, lifetime } = draft
  return {
    name: name.trim(),
    ...placeIn(draft),
    role,
    history,
    expiresInDays: Number(lifetime),
  }
}
