/** The values of the form for a new service token, and the request made from them. */
import type { Request } from '@rollkey/sdk/core'
import { required } from '../../lib/validation.ts'
import { labels } from './labels.ts'

export type TokenRequest = Omit<Request<'tokenCreate'>, 'orgSlug'>

export interface TokenDraft extends Record<string, unknown> {
  readonly name: string
  readonly scope: TokenScope
  readonly project: string
  readonly stage: string
  readonly writes: boolean
  readonly history: boolean
  /** Lifetime in days. */
  readonly lifetime: string
}

type TokenScope = keyof typeof labels.create.scopes

/** The narrowest scope first. */
export const scopeChoices = Object.entries(labels.create.scopes).map(([value, label]) => ({ value, label }))

export const lifetimes = Object.entries(labels.create.lifetimes).map(([value, label]) => ({ value, label }))

export const emptyToken: TokenDraft = {
  name: '',
  scope: 'stage',
  project: '',
  stage: '',
  writes: false,
  history: false,
  lifetime: '365',
}

export const tokenChecks = {
  name: required(labels.create.nameMissing),
  project: (project: string, { scope }: TokenDraft) =>
    scope !== 'organization' && project === '' ? labels.create.projectMissing : null,
  stage: (stage: string, { scope }: TokenDraft) =>
    scope === 'stage' && stage === '' ? labels.create.stageMissing : null,
}

export function tokenRequest(draft: TokenDraft): TokenRequest {
  const { name, scope, project, stage, writes, history, lifetime } = draft
  return {
    name: name.trim(),
    ...(scope !== 'organization' && { projectSlug: project }),
    ...(scope === 'stage' && { stageSlug: stage }),
    readOnly: !writes,
    history,
    expiresInDays: Number(lifetime),
  }
}
