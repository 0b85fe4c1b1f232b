/** The values of the form for a new trust, and the request made from them. */
import type { Trust } from '@rollkey/sdk/core'
import { fillPreset, type PresetField, trustPresets, type TrustPreset } from '@rollkey/contract/rules'
import type { May } from '../../lib/may.ts'
import { required } from '../../lib/validation.ts'
import { labels } from './labels.ts'
import type { TrustChanges, TrustRequest } from '../../data/trusts.ts'
import { emptyScope, placeIn, scopeChecks, type ScopedDraft } from '../../parts/credentials/scoped-draft.ts'

const words = labels.create

/** The choice for an issuer without a preset. */
export const otherPlatform = 'other'

export interface TrustDraft extends ScopedDraft, Record<string, unknown> {
  /** Empty: the platform with the repository, or with what is filled in first. */
  readonly name: string
  readonly platform: string
  /** Name of the repository on GitHub. The trust does not check it. */
  readonly repository: string
  /** What is filled in, by the names of the fields of all presets. */
  readonly fields: Readonly<Record<string, string>>
  readonly issuer: string
  /** Lines of `name=value`. */
  readonly claims: string
  readonly keys: string
  readonly audience: string
  /** In seconds. */
  readonly lifetime: string
  readonly forks: boolean
  readonly history: boolean
}

export const emptyTrust: TrustDraft = {
  ...emptyScope,
  name: '',
  platform: trustPresets[0]?.id ?? otherPlatform,
  repository: '',
  fields: Object.fromEntries(trustPresets.flatMap(({ fields }) => fields.map(({ name }) => [name, '']))),
  issuer: '',
  claims: '',
  keys: '',
  audience: '',
  lifetime: '900',
  forks: false,
  history: false,
}

export function presetOf({ platform }: Pick<TrustDraft, 'platform'>): TrustPreset | undefined {
  return trustPresets.find(({ id }) => id === platform)
}

/** Returns whether a person must fill in the field. */
export function isNeeded({ isRequired, standard }: PresetField): boolean {
  return isRequired && standard === undefined
}

/** Returns `owner/name` of a repository on GitHub, also from its address; undefined if the text is neither. */
export function repositoryIn(text: string): string | undefined {
  const name = text
    .trim()
    .replace(/^(?:https:\/\/)?github\.com\//, '')
    .replace(/\.git$|\/$/, '')
  return /^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/.test(name) ? name : undefined
}

function claimsIn(text: string): { name: string; value: string }[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line.indexOf('=') > 0)
    .map((line) => ({ name: line.slice(0, line.indexOf('=')).trim(), value: line.slice(line.indexOf('=') + 1).trim() }))
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text)
}

/** Returns what is wrong with a field of the draft's platform. */
function fieldCheck(name: string) {
  return (value: string, draft: TrustDraft): string | null => {
    const field = presetOf(draft)?.fields.find((each) => each.name === name)
    const text = value.trim()
    if (text === '') return field && isNeeded(field) ? words.fieldMissing : null
    // The id of a repository is a number where its example is one.
    return field && isNumber(field.example) && !isNumber(text) ? words.notNumber : null
  }
}

export const trustChecks = (may: May) => ({
  ...scopeChecks(may),
  fields: Object.fromEntries(Object.keys(emptyTrust.fields).map((name) => [name, fieldCheck(name)])),
  repository: (text: string, { platform }: TrustDraft) =>
    platform === 'github' && text.trim() !== '' && repositoryIn(text) === undefined ? words.repositoryWrong : null,
  issuer: (issuer: string, draft: TrustDraft) =>
    !presetOf(draft) && issuer.trim() === '' ? words.issuerMissing : null,
  claims: (claims: string, draft: TrustDraft) =>
    !presetOf(draft) && claimsIn(claims).length === 0 ? words.claimsMissing : null,
  keys: (keys: string, draft: TrustDraft) =>
    presetOf(draft)?.needsKeys === true && keys.trim() === '' ? words.keysMissing : null,
})

/** Returns the request for a draft that passed the checks. */
export function trustRequest(draft: TrustDraft): TrustRequest {
  const { name, audience, keys, lifetime, forks, history } = draft
  const preset = presetOf(draft)
  const filled = preset && fillPreset(preset, draft.fields)
  const rules =
    filled && 'claims' in filled
      ? { issuer: filled.issuer, claims: [...filled.claims] }
      : { issuer: draft.issuer.trim(), claims: claimsIn(draft.claims) }
  const repository = preset?.id === 'github' ? repositoryIn(draft.repository) : undefined
  const first = repository ?? rules.claims[0]?.value ?? ''
  return {
    name: name.trim() === '' ? `${preset?.title ?? rules.issuer} ${first}`.slice(0, 128) : name.trim(),
    ...rules,
    ...placeIn(draft),
    role: draft.role,
    history,
    forks,
    lifetimeSeconds: Number(lifetime),
    ...(audience.trim() !== '' && { audience: audience.trim() }),
    ...(keys.trim() !== '' && { jwks: keys.trim() }),
  }
}

export const editChecks = (may: May) => ({
  ...trustChecks(may),
  name: required(words.nameMissing),
  audience: required(words.audienceMissing),
})

/** Returns the values of the form for a trust that exists. */
export function draftOf(trust: Trust): TrustDraft {
  const { name, issuer, audience, claims, projectSlug, stageSlug, jwks, lifetimeSeconds } = trust
  return {
    ...emptyTrust,
    platform: otherPlatform,
    scope: projectSlug === undefined ? 'organization' : stageSlug === undefined ? 'project' : 'stage',
    project: projectSlug ?? '',
    stage: stageSlug ?? '',
    name,
    issuer,
    audience,
    claims: claims.map((claim) => `${claim.name}=${claim.value}`).join('\n'),
    keys: jwks ?? '',
    role: trust.role,
    history: trust.history,
    forks: trust.forks,
    lifetime: String(lifetimeSeconds),
  }
}

/** Returns what differs between a trust and a draft that passed the checks. */
export function changesOf(trust: Trust, draft: TrustDraft): TrustChanges {
  const { name, issuer, audience, claims, keys, role, history, forks, lifetime } = draft
  const before = draftOf(trust)
  return {
    ...(name !== before.name && { name: name.trim() }),
    ...(issuer !== before.issuer && { issuer: issuer.trim() }),
    ...(audience !== before.audience && { audience: audience.trim() }),
    ...(claims !== before.claims && { claims: claimsIn(claims) }),
    ...(keys !== before.keys && { jwks: keys.trim() === '' ? null : keys.trim() }),
    ...(role !== before.role && { role }),
    ...(history !== before.history && { history }),
    ...(forks !== before.forks && { forks }),
    ...(lifetime !== before.lifetime && { lifetimeSeconds: Number(lifetime) }),
  }
}
