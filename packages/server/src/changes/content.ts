/** What a change does, without its values, as it is stored. */
import {
  compareCodePoints,
  type Attributes,
  type DeclaredType,
  type DigestedState,
  type Kind,
  type RampStep,
  type Weekday,
} from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { ChangeRow } from '../storage/changes.ts'

/** A variable that is created or updated. Its values are sealed separately. */
export interface ProposedPut {
  readonly action: 'create' | 'update'
  readonly name: string
  readonly kind: Kind
  readonly declaredType?: DeclaredType | undefined
  readonly attributes: Attributes
  readonly digests: DigestedState['digests']
  /** Whether the variable was secret when this was proposed, and is not after it; undefined: no. */
  readonly raisesExposure?: true | undefined
  /** Whether its values stay what they were when this was proposed; undefined: no. */
  readonly keepsValues?: true | undefined
}

/** What a change does to one variable. */
export type ProposedItem =
  | ProposedPut
  | { readonly action: 'delete'; readonly name: string }
  | { readonly action: 'chance'; readonly name: string; readonly chance: number }

export interface Guard {
  readonly onMisfit: 'hold' | 'abort'
  readonly abortTo?: number | undefined
}

/** What a change does. */
export interface Content {
  /** By name. A ramp has one item: its last chance, or the secret that it rotates with its new value. */
  readonly items: readonly ProposedItem[]
  /** The steps of a ramp. */
  readonly steps?: readonly RampStep[] | undefined
  /** What happens if the values served since the last step do not fit; undefined: nothing. */
  readonly guard?: Guard | undefined
  /** Days of the week without steps; undefined: none. */
  readonly notOn?: readonly Weekday[] | undefined
  /** Where proposed states come from. */
  readonly source: {
    readonly copy?: { readonly projectSlug: string; readonly stageSlug: string } | undefined
    readonly restore?: number | undefined
  }
}

export function contentOf({ content }: Pick<ChangeRow, 'content'>): Content {
  return JSON.parse(content) as Content
}

/** Returns what is left without some variables. Throws INVALID_REQUEST for a ramp, and VARIABLE_NOT_FOUND. */
export function withoutNames(content: Content, names: readonly string[]): Content {
  if (content.steps)
    throw new ApiError('INVALID_REQUEST', 'A ramp has one variable, which cannot be left out: state new content.')
  const left = new Set(names)
  const items = content.items.filter(({ name }) => !left.delete(name))
  const [missing] = left
  if (missing !== undefined)
    throw new ApiError('VARIABLE_NOT_FOUND', `The change proposes nothing for ${JSON.stringify(missing)}.`)
  return { ...content, items }
}

export function isPut(item: ProposedItem): item is ProposedPut {
  return item.action === 'create' || item.action === 'update'
}

/** Returns the secret that a change rotates step by step, with its new value; undefined if it is not a rotation. */
export function rotationOf({ items: [item], steps }: Content): ProposedPut | undefined {
  return steps && item && isPut(item) ? item : undefined
}

/** Throws INVALID_REQUEST unless the steps of a rotation end with the new value. */
export function assertRotationSteps(steps: readonly RampStep[]): void {
  if (steps.length > 1 && steps.at(-1)?.chance === 1) return
  throw new ApiError(
    'INVALID_REQUEST',
    'The steps of a rotation must be two or more, and the last must have the chance 1: the new value alone. To write it at once, write it without steps.',
  )
}

/** Returns both contents as one. Throws INVALID_REQUEST. */
export function joined(kept: Content, added: Content | undefined): Content {
  const items = [...kept.items, ...(added?.items ?? [])].toSorted((a, b) => compareCodePoints(a.name, b.name))
  const source = {
    copy: added?.source.copy ?? kept.source.copy,
    restore: added?.source.restore ?? kept.source.restore,
  }
  const content: Content = { ...kept, ...added, items, source }
  assertContent(content)
  return content
}

/** Throws INVALID_REQUEST unless the content does something, names each variable once, and is a ramp or not. */
export function assertContent(content: Content): void {
  const names = namesOf(content)
  if (names.length === 0)
    throw new ApiError(
      'INVALID_REQUEST',
      'The change would change nothing: state what the stage does not have yet, or withdraw it.',
    )
  assertNamedOnce(names)
  if (content.steps && names.length > 1)
    throw new ApiError('INVALID_REQUEST', 'A ramp cannot have other content: propose that as another change.')
}

/** Throws INVALID_REQUEST. */
export function assertNamedOnce(names: readonly string[]): void {
  const sorted = names.toSorted(compareCodePoints)
  const twice = sorted.find((name, index) => name === sorted[index - 1])
  if (twice === undefined) return
  throw new ApiError(
    'INVALID_REQUEST',
    `The change names ${JSON.stringify(twice)} more than once: name each variable in one of its parts only.`,
  )
}

/** Returns the names that a change touches, in wire order. */
export function namesOf({ items }: Content): string[] {
  return items.map(({ name }) => name).toSorted(compareCodePoints)
}

/** What the digest of a change covers. */
type Digested = Pick<ChangeRow, 'stage_id' | 'base_revision' | 'reason' | 'content' | 'apply_at_ms' | 'zone'>

/** Returns the digest of everything that a change proposes. Values are in it by their digests, which are in the content. */
export function digestOf(digest: (text: string) => string, row: Digested): string {
  const { stage_id, base_revision, reason, content, apply_at_ms, zone } = row
  return digest(JSON.stringify(['change', stage_id, base_revision, reason, content, apply_at_ms, zone]))
}
