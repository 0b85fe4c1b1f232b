import type { StageSlugs } from '@rollkey/sdk/core'
import type { Digested } from '@rollkey/contract'
import { isMoreExposed, valuesOf } from '@rollkey/contract/rules'
import { ActionIcon, Stack, Text, Tooltip } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { needsConfirmation } from '../../service/errors.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { IconCopy } from '../../ui/icons.ts'
import { IconCopyButton } from '../../ui/copy.tsx'
import { MaskedValue, ValueText } from '../../ui/masked-value.tsx'
import { toast } from '../../ui/toast.tsx'
import { capitalized, valueNames } from '../../data/variables/labels.ts'
import { plainQuery, reveal } from '../../data/variables/queries.ts'
import { useReveal } from '../../data/variables/use-reveal.ts'
import { MissingVerb } from '../access/require-verb.tsx'
import classes from './stored-values.module.css'
import { labels } from './labels.ts'

interface StoredValuesProps {
  readonly place: StageSlugs
  readonly stage: string
  readonly variable: Digested
  readonly values: KnownValues
}

/** Returns the values of a variable that a person sees: plain ones, and secret ones for a while after they are revealed. */
export function useKnownValues(place: StageSlugs, name: string, variable: Digested | undefined) {
  const revealing = useReveal(place, name, variable)
  const isExposed = isMoreExposed(variable?.exposure)
  const may = useMay()
  const plain = useQuery({ ...plainQuery(useScope(), place), enabled: isExposed && may('read', place) })
  // A protected stage shows them as it shows secret ones, until the person confirms that it is them.
  const isPlain = isExposed && !needsConfirmation(plain.error)
  const entry = isPlain ? plain.data?.find((each) => each.name === name) : revealing.entry
  return { entry, isPlain, plainError: plain.error, revealing }
}

type KnownValues = ReturnType<typeof useKnownValues>

/** Shows the values of a variable to those who may read them: plain ones as text, others masked. */
export function StoredValues(props: StoredValuesProps) {
  const may = useMay()
  if (!may('read', props.place))
    return (
      <Text size="sm" c="dimmed">
        <MissingVerb verb="read" at={props.place} />
      </Text>
    )
  return props.values.isPlain ? <PlainValues {...props} /> : <SecretValues {...props} />
}

function SecretValues({ place, stage, variable, values: { revealing } }: StoredValuesProps) {
  const { name } = variable
  const { entry, hide, wasChanged, request } = revealing
  const values = entry && valuesOf(entry)
  return (
    <Stack gap="xs">
      {valueNames(variable).map((label, at) => (
        <div key={label}>
          <Text size="sm" fw={500} mb={4}>
            {capitalized(label)}
          </Text>
          <div className={classes['field']}>
            <MaskedValue
              what={labels.valueOf(label, name, stage)}
              value={values?.[at]}
              copy={globalThis.isSecureContext && <CopyHidden place={place} name={name} at={at} label={label} />}
              isRevealing={request.isPending}
              onReveal={() => request.mutate()}
              onHide={hide}
            />
          </div>
        </div>
      ))}
      <Text size="sm" c="dimmed">
        {labels.revealHint}
      </Text>
      <Text role="status" size="sm">
        {wasChanged && labels.hiddenAgain}
      </Text>
      <ErrorNotice error={request.error} />
    </Stack>
  )
}

interface CopyHiddenProps {
  readonly place: StageSlugs
  readonly name: string
  /** Index among the values of the kind. */
  readonly at: number
  readonly label: string
}

/** Copies a value without showing it. */
function CopyHidden({ place, name, at, label }: CopyHiddenProps) {
  const scope = useScope()
  // A result would stay in the query client's memory, so the mutation has none.
  const copy = useMutation({
    mutationFn: async () => {
      const entry = await reveal(scope, place, name)
      await navigator.clipboard.writeText(valuesOf(entry)[at] ?? '')
    },
    onSuccess: () => toast.success(labels.copied(label, name)),
    onError: (error) => toast.error(error),
  })
  return (
    <Tooltip label={labels.copy}>
      <ActionIcon
        size="sm"
        loading={copy.isPending}
        aria-label={labels.copyOf(label, name)}
        onClick={() => copy.mutate()}
      >
        <IconCopy size={14} />
      </ActionIcon>
    </Tooltip>
  )
}

function PlainValues({ variable, values: { entry, plainError } }: StoredValuesProps) {
  const { name, exposure = 'plain' } = variable
  const values = entry && valuesOf(entry)
  return (
    <Stack gap="xs">
      {valueNames(variable).map((label, at) => (
        <div key={label}>
          <Text size="sm" fw={500} mb={4}>
            {capitalized(label)}
          </Text>
          {values && (
            <div className={classes['field']}>
              <ValueText value={values[at] ?? ''} className="wrapping" />
              <IconCopyButton value={values[at] ?? ''} label={labels.copyOf(label, name)} />
            </div>
          )}
        </div>
      ))}
      <Text size="sm" c="dimmed">
        {labels.exposureHints[exposure]}
      </Text>
      <ErrorNotice error={plainError} />
    </Stack>
  )
}
