/** The values of the form for a new client key, and the request made from them. */
import { isOrigin } from '@rollkey/contract/rules'
import { required } from '../../lib/validation.ts'
import type { May } from '../../lib/may.ts'
import { labels } from './labels.ts'
import type { KeyRequest } from '../../data/client-keys.ts'
import { emptyScope, scopeChecks, type ScopedDraft } from '../../parts/credentials/scoped-draft.ts'

const words = labels.create

export interface KeyDraft extends ScopedDraft, Record<string, unknown> {
  readonly name: string
  readonly pages: keyof typeof words.choices
  /** Lines. */
  readonly origins: string
  /** Empty: as the operator sets. */
  readonly evaluations: string
}

export const emptyKey: KeyDraft = {
  ...emptyScope,
  name: '',
  pages: 'pages',
  origins: '',
  evaluations: '',
}

export const pageChoices = Object.entries(words.choices).map(([value, label]) => ({ value, label }))

function originsIn({ pages, origins }: KeyDraft): string[] {
  if (pages === 'any') return ['*']
  if (pages === 'apps') return []
  const lines = origins.split('\n').map((line) => line.trim())
  return [...new Set(lines.filter((line) => line !== ''))]
}

export function keyChecks(may: May) {
  const { project, stage } = scopeChecks(may)
  return {
    project,
    stage,
    name: required(words.nameMissing),
    origins: (_: string, draft: KeyDraft) => {
      const origins = originsIn(draft)
      return draft.pages === 'pages' && !(origins.length > 0 && origins.every(isOrigin)) ? words.listMissing : null
    },
    evaluations: (text: string) =>
      text.trim() === '' || /^[1-9]\d{0,14}$/.test(text.trim()) ? null : words.evaluationsWrong,
  }
}

/** Returns the request for a draft that passed the checks. */
export function keyRequest(draft: KeyDraft): KeyRequest {
  const { name, project, stage, evaluations } = draft
  return {
    name: name.trim(),
    projectSlug: project,
    stageSlug: stage,
    origins: originsIn(draft),
    ...(evaluations.trim() !== '' && { evaluationsPerMonth: Number(evaluations) }),
  }
}
