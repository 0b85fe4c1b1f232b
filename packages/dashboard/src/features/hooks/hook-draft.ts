/** The values of the forms of a webhook, and the requests made from them. */
import type { Hook, HookFilter } from '@rollkey/sdk/core'
import type { HookChanges, HookRequest, ListedHook } from '../../data/hooks.ts'
import type { May } from '../../lib/may.ts'
import { hasCode } from '../../service/errors.ts'
import { required } from '../../lib/validation.ts'
import { emptyScope, placeIn, scopeChecks, type ScopedDraft } from '../../parts/credentials/scoped-draft.ts'
import { labels } from './labels.ts'

const words = labels.create

export interface EventsDraft extends Record<string, unknown> {
  readonly which: 'all' | 'chosen'
  readonly events: readonly HookFilter[]
}

export interface HookDraft extends ScopedDraft, EventsDraft {
  readonly name: string
  readonly url: string
  readonly format: Hook['format']
}

export interface HookEdit extends EventsDraft {
  readonly name: string
  /** Empty: unchanged. The service does not show it. */
  readonly url: string
}

export const emptyHook: HookDraft = {
  ...emptyScope,
  scope: 'organization',
  name: '',
  url: '',
  format: 'standard',
  which: 'all',
  events: [],
}

export const formatChoices = Object.entries(labels.formats).map(([value, label]) => ({ value, label }))
export const whichChoices = [
  { value: 'all', label: labels.all },
  { value: 'chosen', label: labels.chosen },
]

const eventChecks = {
  events: (events: readonly HookFilter[], { which }: EventsDraft) =>
    which === 'chosen' && events.length === 0 ? words.eventsMissing : null,
}

/** Returns what is wrong with a URL. The operator may allow `http` to some networks, which only the service knows. */
function urlProblem(text: string): string | null {
  const protocol = URL.parse(text.trim())?.protocol
  if (protocol === undefined) return words.urlMissing
  return protocol === 'https:' || protocol === 'http:' ? null : words.urlScheme
}

/** Returns what the service refuses about the URL; undefined: nothing. */
export function refusedUrl(error: unknown): string | undefined {
  const [field, ...problem] =
    hasCode(error, 'INVALID_REQUEST') && error instanceof Error ? error.message.split(' ') : []
  return field === 'url' ? words.urlRefused(problem.join(' ')) : undefined
}

export function hookChecks(may: May) {
  const { project, stage } = scopeChecks(may)
  return {
    project,
    stage,
    ...eventChecks,
    name: required(words.nameMissing),
    url: urlProblem,
  }
}

export const editChecks = {
  ...eventChecks,
  name: required(words.nameMissing),
  url: (url: string) => (url.trim() === '' ? null : urlProblem(url)),
}

function filtersIn({ which, events }: EventsDraft): HookFilter[] {
  return which === 'all' ? [] : [...events]
}

/** Returns the request for a draft that passed the checks. */
export function hookRequest(draft: HookDraft): HookRequest {
  const { projectSlug, ...stage } = placeIn(draft)
  return {
    name: draft.name.trim(),
    url: draft.url.trim(),
    format: draft.format,
    events: filtersIn(draft),
    ...(projectSlug !== undefined && { within: { projectSlug, ...stage } }),
  }
}

export function editOf({ name, events }: ListedHook): HookEdit {
  return { name, url: '', which: events.length === 0 ? 'all' : 'chosen', events }
}

export function changesOf(draft: HookEdit): HookChanges {
  const { name, url } = draft
  return { name: name.trim(), events: filtersIn(draft), ...(url.trim() !== '' && { url: url.trim() }) }
}

/** Returns the group of a type, such as `change.*`. */
export function groupOf(type: string): string {
  return `${type.split('.')[0]}.*`
}
