import type { Change, HistoryChange } from '@rollkey/sdk/core'
import { Badge, Text } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import type { RevealedEntry } from '@rollkey/contract'
import { canMove, kinds, valuesOf } from '@rollkey/contract/rules'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useMemo, useState } from 'react'
import { useMay } from '../../session/permissions.ts'
import { ask, useScope } from '../../session/scope.ts'
import { useViewer } from '../../session/viewer.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { KindIcon } from '../../ui/status.tsx'
import { useChangedValues, ValueDiff } from '../../parts/variables/changed-values.tsx'
import { type ChangedValues, revisionQuery } from '../../data/history/queries.ts'
import { differences, factsOf, valueTransition } from '../../data/variables/comparison.ts'
import {
  capitalized,
  isExposed,
  labels as variableLabels,
  seenKindOf,
  shownValue,
  valueNames,
} from '../../data/variables/labels.ts'
import { plainQuery } from '../../data/variables/queries.ts'
import { labels } from './labels.ts'
import classes from './proposals.module.css'
import { placeOf } from '../../data/proposals/queries.ts'
import { labels as proposedLabels } from '../../data/proposals/labels.ts'
import { ChanceMeaning } from './chance-meaning.tsx'
import { ItemActions } from './item-actions.tsx'
import { mayReview } from './your-review.tsx'
import { labels as planLabels } from '../../parts/plans/labels.ts'

interface ProposalProps {
  readonly proposal: Change
}

const shownMs = 30_000

interface Revealed {
  /** Entries by name. Only the state of the page has them. */
  readonly before: ReadonlyMap<string, RevealedEntry>
  readonly after: ReadonlyMap<string, RevealedEntry>
}

/** Returns the values before and after the change that are masked, for a while after the person asks for them. */
function useRevealed(proposal: Change, masked: readonly ProposalItem[]) {
  const scope = useScope()
  const place = placeOf(proposal)
  const [revealed, setRevealed] = useState<Revealed>()
  const [seenDigest, setSeenDigest] = useState<string>()
  const { start, clear } = useTimeout(() => setRevealed(undefined), shownMs)
  // A result would stay in the query client's memory, so the mutation has none.
  const reveal = useMutation({
    mutationFn: async () => {
      const stored = masked.filter(({ before }) => before).map(({ name }) => name)
      const proposed = masked.filter(({ after }) => after).map(({ name }) => name)
      const [before, after] = await Promise.all([
        stored.length > 0 ? ask(scope, 'reveal', { ...place, names: stored }) : { variables: [] },
        proposed.length > 0
          ? ask(scope, 'changeReveal', { ...place, id: proposal.id, names: proposed })
          : { variables: [] },
      ])
      setRevealed({ before: byName(before.variables), after: byName(after.variables) })
      setSeenDigest(proposal.digest)
      clear()
      start()
    },
  })
  // An edit of the change may have other values.
  return { revealed, reveal, wasSeen: seenDigest === proposal.digest, hide: () => setRevealed(undefined) }
}

function byName(entries: readonly RevealedEntry[]): ReadonlyMap<string, RevealedEntry> {
  return new Map(entries.map((entry) => [entry.name, entry]))
}

/** Returns the plain values that the change replaces, by name; undefined while they are read. */
function useReplaced(proposal: Change): ReadonlyMap<string, RevealedEntry> | undefined {
  const place = placeOf(proposal)
  const mayRead = useMay()('read', place)
  const isNeeded = proposal.items.some(({ plain, before }) => plain && before && isExposed(before))
  const { data, isLoading } = useQuery({ ...plainQuery(useScope(), place), enabled: isNeeded && mayRead })
  // What was read before a grant ended is not shown after it.
  const known = mayRead ? data : undefined
  return useMemo(() => (isLoading ? undefined : byName(known ?? [])), [known, isLoading])
}

interface Applied {
  /** The items with the states before and after, where the history still has them. */
  readonly items: readonly ProposalItem[]
  /** The values before and after, where they are plain. */
  readonly values: readonly ChangedValues[]
}

/** Returns what a change did, from the history: the change itself has states and values before it only until it is applied. */
function useApplied(proposal: Change): Applied {
  const place = placeOf(proposal)
  const { state, appliedRevision = 0, items } = proposal
  const { data = noChanges } = useQuery({
    ...revisionQuery(useScope(), place, undefined, appliedRevision),
    enabled: state === 'applied' && appliedRevision > 0,
  })
  return { items: items.map((item) => appliedItem(item, data)), values: useChangedValues(place, undefined, data) }
}

const noChanges: readonly HistoryChange[] = []

function appliedItem(item: ProposalItem, changes: readonly HistoryChange[]): ProposalItem {
  const change = changes.find(({ name }) => name === item.name)
  if (!change) return item
  const { before, kind, digests } = change
  return {
    ...item,
    ...(before && { before }),
    ...(item.after && kind && digests && { after: { ...change, kind, digests } }),
  }
}

/** Lists what the change does to each variable, side by side with what is there. */
export function Items({ proposal }: ProposalProps) {
  const may = useMay()
  const { userId } = useViewer()
  const { state, steps, appliedRevision = 0 } = proposal
  const { items, values } = useApplied(proposal)
  const replaced = useReplaced(proposal)
  const masked = proposal.items.filter((item) => isMasked(item, replaced))
  const { revealed, reveal, wasSeen, hide } = useRevealed(proposal, masked)
  const proposed = replaced === undefined ? [] : masked.filter(({ after }) => after).map(({ name }) => name)
  const hasMasked = proposed.length > 0 && canMove(state, 'edit')
  if (steps) return null
  return (
    <Panel
      title={labels.items}
      lead={hasMasked ? labels.revealHint : undefined}
      actions={
        hasMasked &&
        may('read', placeOf(proposal)) && (
          <BusyButton
            size="xs"
            variant="default"
            isBusy={reveal.isPending}
            onClick={() => (revealed ? hide() : reveal.mutate())}
          >
            {revealed ? labels.hide : labels.reveal}
          </BusyButton>
        )
      }
    >
      <ErrorNotice error={reveal.error} />
      {hasMasked && mayReview(proposal, userId) && !wasSeen && (
        <Notice kind="info">{labels.notLooked(proposedLabels.names(proposed, proposed.length))}</Notice>
      )}
      {items.length === 0 && <Text c="dimmed">{labels.same}</Text>}
      <ul className="plain-list">
        {items.map((item) => (
          <Item
            key={item.name}
            item={item}
            replaced={replaced?.get(item.name)}
            before={revealed?.before.get(item.name)}
            after={revealed?.after.get(item.name)}
            actions={<ItemActions proposal={proposal} item={item} />}
          >
            {canMove(state, 'edit') && (
              <ChanceMeaning place={placeOf(proposal)} item={item} chance={item.chance ?? item.after?.chance} />
            )}
            <ValueDiff change={{ name: item.name, revision: appliedRevision }} values={values} />
          </Item>
        ))}
      </ul>
    </Panel>
  )
}

type ProposalItem = Change['items'][number]

/** Returns whether a person sees values that the change writes or deletes only after they reveal them. */
function isMasked({ name, action, before, after, plain }: ProposalItem, replaced: Revealed['before'] = new Map()) {
  if (!after) return action === 'delete'
  return !plain || (before !== undefined && !replaced.has(name))
}

interface ItemProps {
  readonly item: ProposalItem
  /** The value that is replaced, where it is plain. */
  readonly replaced: RevealedEntry | undefined
  /** The values, while they are revealed. */
  readonly before: RevealedEntry | undefined
  readonly after: RevealedEntry | undefined
  /** What the viewer may do about it. */
  readonly actions: ReactNode
  /** What a change of the chance means, and the values of an applied change. */
  readonly children: ReactNode
}

function Item({ item, replaced, before, after, actions, children }: ItemProps) {
  const { name, action, changedAt } = item
  const variable = item.after ?? item.before
  const plain = plainSides(item, replaced)
  const isLong = plain !== undefined && !fitsInFacts(item, plain)
  const sides = { before: before && valuesOf(before), after: after && valuesOf(after), ...(isLong && plain) }
  return (
    <li className={classes['item']}>
      {variable ? <KindIcon kind={seenKindOf(variable)} /> : <span />}
      <div className={classes['head']}>
        <bdi className="mono">{name}</bdi>
        <span className={classes['action']} data-action={action}>
          {labels.actions[action]}
        </span>
        {changedAt !== undefined && <Badge color="yellow">{labels.changedAt(changedAt)}</Badge>}
        {actions}
      </div>
      <div className={classes['facts']}>{capitalized(itemFacts(item, replaced, !isLong).join(labels.separator))}</div>
      {(sides.before ?? sides.after) && (
        <div className={classes['sides']}>
          <Side when="before" state={item.before} values={sides.before} />
          <Side when="after" state={item.after} values={sides.after} />
        </div>
      )}
      {children}
    </li>
  )
}

interface SideProps {
  readonly when: 'before' | 'after'
  readonly state: ProposalItem['before']
  /** Undefined: the variable is not there. */
  readonly values: readonly string[] | undefined
}

function Side({ when, state, values }: SideProps) {
  if (!state || !values) return null
  const names = values.length > 1 ? valueNames(state).map(capitalized) : []
  return (
    <div className={classes['side']} data-when={when}>
      <Text size="sm" c="dimmed">
        {labels.when[when]}
      </Text>
      {values.map((value, at) => (
        <Fragment key={valueNames(state)[at]}>
          {names[at] !== undefined && <Text size="xs">{names[at]}</Text>}
          <pre>{value}</pre>
        </Fragment>
      ))}
    </div>
  )
}

/** The plain values of a variable. */
interface PlainSides {
  /** Undefined: the variable is not there. */
  readonly before: readonly string[] | undefined
  readonly after: readonly string[]
}

/** Returns the values before and after, if people see both without a reveal. */
function plainSides(
  { before, after, plain }: ProposalItem,
  replaced: RevealedEntry | undefined,
): PlainSides | undefined {
  if (!after || !plain || (before && !replaced)) return undefined
  return {
    before: replaced && valuesOf(replaced),
    after: kinds[after.kind].values.map(({ field }) => plain[field] ?? ''),
  }
}

/** Returns whether the facts of a change show its values whole. Those that are long, or of another kind, stand below. */
function fitsInFacts({ before, after }: ProposalItem, sides: PlainSides): boolean {
  const texts = [...(sides.before ?? []), ...sides.after]
  if (before && before.kind !== after?.kind) return false
  const isSame = sides.before?.every((text, at) => text === sides.after[at]) === true
  return isSame || texts.every((text) => text === '' || (shownValue(text) === text && !text.includes('\n')))
}

/** Returns what a change does to a variable. `replaced`: the value before; undefined: people do not see it. */
function itemFacts(item: ProposalItem, replaced: RevealedEntry | undefined, showsValues: boolean): readonly string[] {
  const { action, before, after, chance, plain } = item
  if (chance !== undefined) return [planLabels.chance(before?.chance, chance)]
  const seen = showsValues ? plain : undefined
  if (before && after)
    return differences(before, after, (role) => valueTransition(role, replaced, seen) ?? variableLabels.valueChanged)
  // What was there before a change that is applied is in the history.
  if (!after || action !== 'create') return []
  const values = kinds[after.kind].values.flatMap(({ label, field }) => {
    const value = seen?.[field]
    return value === undefined ? [] : [variableLabels.fact(label, shownValue(value))]
  })
  return [...values, ...factsOf(after)]
}
