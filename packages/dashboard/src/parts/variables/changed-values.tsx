import type { HistoryChange, StageSlugs } from '@rollkey/sdk/core'
import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { kinds } from '@rollkey/contract/rules'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { isExposed } from '../../data/variables/labels.ts'
import { type ChangedValues, changedValuesQuery } from '../../data/history/queries.ts'
import { ValueText } from '../../ui/masked-value.tsx'
import classes from './changed-values.module.css'
import { labels } from './labels.ts'

const none: readonly ChangedValues[] = []

/**
 * Reads the values before and after changes, where they are not secret and the viewer may read them. What cannot be read, such as
 * in a protected stage before a confirmation, is left out.
 *
 * @param name The variable to which the history is filtered.
 * @param changes Consecutive changes, newest first, with all changes of their revisions.
 */
export function useChangedValues(
  place: StageSlugs,
  name: string | undefined,
  changes: readonly HistoryChange[],
): readonly ChangedValues[] {
  const may = useMay()
  const mayRead = may('read', place)
  const hasPlain = changes.some((change) => isExposed(change) || isExposed(change.before ?? {}))
  const newest = changes[0]?.revision ?? 0
  const { data } = useQuery({
    ...changedValuesQuery(useScope(), place, name, newest, changes.length),
    enabled: mayRead && hasPlain,
  })
  // What was read before a grant ended is not shown after it.
  return (mayRead && data) || none
}

interface ValueDiffProps {
  readonly change: Pick<HistoryChange, 'revision' | 'name'>
  readonly values: readonly ChangedValues[]
}

/** The values of all kinds. */
const fields = Object.values(kinds).flatMap(({ values }) => values)

/** Shows the values that a change replaced and wrote, if they are known and differ. */
export function ValueDiff({ change: { revision, name }, values }: ValueDiffProps) {
  const found = values.find((each) => each.revision === revision && each.name === name)
  const differing = fields.filter(({ field }) => found?.before?.[field] !== found?.after?.[field])
  if (!found || differing.length === 0) return null
  const hasSides = differing.some(({ field }) => field !== 'value')
  return (
    <div className={classes['diff']}>
      {(['before', 'after'] as const).map((when) =>
        differing.map(({ field, label }) => {
          const value = found[when]?.[field]
          return (
            value !== undefined && (
              <DiffLine key={field} when={when} label={hasSides ? label : undefined} value={value} />
            )
          )
        }),
      )}
    </div>
  )
}

interface DiffLineProps {
  readonly when: 'before' | 'after'
  /** Name of one of several values. */
  readonly label: string | undefined
  readonly value: string
}

function DiffLine({ when, label, value }: DiffLineProps) {
  return (
    <div className={classes['line']} data-when={when}>
      <VisuallyHidden>{labels.when[when]}</VisuallyHidden>
      <span aria-hidden>{labels.signs[when]}</span>
      {label !== undefined && <span>{label}</span>}
      <ValueText value={value} />
    </div>
  )
}
