/** Fields that the form for a new webhook and the one for its changes share. */
import { Checkbox, NativeSelect, Stack } from '@mantine/core'
import type { HookFilter } from '@rollkey/sdk/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDidUpdate } from '@mantine/hooks'
import { type EventsDraft, groupOf, refusedUrl, whichChoices } from './hook-draft.ts'
import { labels } from './labels.ts'
import classes from './hooks.module.css'

interface WithUrl {
  readonly setFieldError: (field: 'url', problem: string) => void
  readonly getInputNode: (field: 'url') => HTMLElement | null
}

/** Shows at the field what the service refuses about the URL. Returns the error of the form, which is any other one. */
export function useUrlRefusal({ setFieldError, getInputNode }: WithUrl, error: unknown): unknown {
  const refused = refusedUrl(error)
  useDidUpdate(() => {
    if (refused === undefined) return
    setFieldError('url', refused)
    getInputNode('url')?.focus()
  }, [error])
  return refused === undefined ? error : null
}

interface EventFieldsProps {
  readonly form: Pick<UseFormReturnType<EventsDraft>, 'values' | 'getInputProps'>
}

/** Chooses what a webhook receives: everything, groups of events, or single ones. */
export function EventFields({ form }: EventFieldsProps) {
  const { which, events } = form.values
  const input = form.getInputProps('events')
  return (
    <>
      <NativeSelect {...form.getInputProps('which')} label={labels.create.events} data={whichChoices} />
      {which === 'chosen' && (
        <Checkbox.Group
          label={labels.chosen}
          error={input.error}
          value={withImplied(events)}
          onChange={(next) => input.onChange(withoutImplied(next, events))}
        >
          <Stack gap="xs" mt="xs">
            {choices.map(({ filter, label }) => (
              <Checkbox
                key={filter}
                value={filter}
                label={
                  <>
                    {label} <code className={classes['type']}>{filter}</code>
                  </>
                }
                className={isInGroup(filter) ? classes['single'] : undefined}
                disabled={isImplied(filter, events)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  )
}

const types = Object.entries(labels.events).map(([filter, label]) => ({ filter: filter as HookFilter, label }))

/** Types of events, each group before its own. */
const choices = types.flatMap((each, index) => {
  const group = groupOf(each.filter) as HookFilter
  const label = labels.groups[group]
  const isFirst = label !== undefined && groupOf(types[index - 1]?.filter ?? '') !== group
  return isFirst ? [{ filter: group, label }, each] : [each]
})

function isInGroup(filter: HookFilter): boolean {
  return !filter.endsWith('.*') && groupOf(filter) in labels.groups
}

/** Returns whether a chosen group has the type. */
function isImplied(filter: HookFilter, chosen: readonly HookFilter[]): boolean {
  return isInGroup(filter) && chosen.includes(groupOf(filter) as HookFilter)
}

function withImplied(chosen: readonly HookFilter[]): HookFilter[] {
  const implied = types.flatMap(({ filter }) => (isImplied(filter, chosen) ? filter : []))
  return [...new Set([...chosen, ...implied])]
}

/** Removes what a group has that is chosen, or was before. */
function withoutImplied(next: readonly HookFilter[], former: readonly HookFilter[]): HookFilter[] {
  return next.filter((filter) => !isImplied(filter, next) && !isImplied(filter, former))
}
