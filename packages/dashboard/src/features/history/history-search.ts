export const effectNames = ['updated', 'created', 'deleted', 'restored'] as const
/** What a revision does to a variable. */
export type EffectName = (typeof effectNames)[number]

/** The search parameters of a project's history, which never contain values. */
export interface HistorySearch extends StageSearch {
  /** Id of the user or service token whose changes are shown. */
  readonly person?: string | undefined
  /** What the shown revisions did to a variable. */
  readonly change?: EffectName | undefined
  /** The revision whose details are open. */
  readonly revision?: string | undefined
  /** The revision that the person asked to undo. */
  readonly undo?: string | undefined
}

/** Returns the known parameters of an address. */
export function historySearch(search: Readonly<Record<string, unknown>>): HistorySearch {
  const { person, revision, undo } = search
  const change = effectNames.find((name) => name === search['change'])
  return {
    ...stageSearch(search),
    ...(typeof person === 'string' && person !== '' && { person }),
    ...(change && { change }),
    ...(isRevision(revision) && { revision }),
    ...(isRevision(undo) && { undo }),
  }
}

function isRevision(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,9}$/.test(value)
}

/** The search parameters of pages about a stage, or about one of its variables. */
interface StageSearch {
  readonly stage?: string | undefined
  /** Name of a variable. It is a parameter, because it may have any characters. */
  readonly name?: string | undefined
}

export function stageSearch({ stage, name }: Readonly<Record<string, unknown>>): StageSearch {
  return { ...(isText(stage) && { stage }), ...(isText(name) && { name }) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
