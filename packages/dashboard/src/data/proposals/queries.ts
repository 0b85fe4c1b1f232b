/** Proposed changes. What they propose is revealed on request only, and not kept. */
import { canMove, type ChangeState, settledChangeStates } from '@rollkey/contract/rules'
import type { Change, ListedChange, Stage, StageSlugs } from '@rollkey/sdk/core'
import { infiniteQueryOptions, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { May } from '../../lib/may.ts'
import { ask, type Scope, useScope } from '../../session/scope.ts'
import { allStages, stageKey, useRefresh } from '../stages.ts'
import { labels } from './labels.ts'

const openStates: readonly ChangeState[] = ['open', 'failed', 'running', 'paused']
const refreshMs = 15_000
const momentMs = 2_000
const shownRefreshMs = 4_000
const kind = 'proposals'
const proposalsOfPage = 50

/** More changes than an organization has open. */
const maxOpen = 1_000

/** Returns the changes that are not settled, the newest first. `within`: where. */
async function openProposals(
  scope: Scope,
  within: Partial<StageSlugs>,
  signal: AbortSignal,
): Promise<readonly ListedChange[]> {
  const found: ListedChange[] = []
  for (;;) {
    const request = { ...within, states: [...openStates], before: found.at(-1)?.id }
    const { changes, more } = await ask(scope, 'changeList', request, signal)
    found.push(...changes)
    if (!more || found.length >= maxOpen) return found
  }
}

/** Reads the changes that are not settled. */
export const openProposalsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: stageKey(kind, scope, allStages, 'open'),
    queryFn: ({ signal }) => openProposals(scope, {}, signal),
    refetchInterval: refreshMs,
    // The navigation asks first, and a page that shows them a moment later does not ask again.
    staleTime: momentMs,
  })

/** Reads the latest changes that are settled. */
export const settledProposalsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: stageKey(kind, scope, allStages, 'settled'),
    queryFn: async ({ signal }): Promise<readonly ListedChange[]> =>
      (await ask(scope, 'changeList', { states: [...settledChangeStates] }, signal)).changes,
    refetchInterval: refreshMs,
  })

/** How long the proposer of a change sees that someone else ended it. */
const shownEndMs = 7 * 86_400_000

/** Returns whether someone else, or the service for a reason, has lately ended a change of a person. */
export function isEndedByOther(proposal: ListedChange, userId: string | undefined, nowMs: number): boolean {
  const { state, proposedBy, settledBy, settledAtMs } = proposal
  if (userId === undefined || proposedBy !== userId || settledAtMs === undefined || nowMs - settledAtMs > shownEndMs)
    return false
  // What the service applies at its time was planned.
  return settledBy === undefined ? state !== 'applied' : settledBy !== userId
}

/** Reads all changes, the newest first, a page at a time. */
export const allProposalsQuery = (scope: Scope) =>
  infiniteQueryOptions({
    queryKey: stageKey(kind, scope, allStages, 'all'),
    queryFn: async ({ pageParam: before, signal }): Promise<readonly ListedChange[]> =>
      (await ask(scope, 'changeList', { before, limit: proposalsOfPage }, signal)).changes,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < proposalsOfPage ? undefined : page.at(-1)?.id),
    // A refresh reads all loaded pages, and a person who looks at older changes does not wait for new ones.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
  })

export const proposalQuery = (scope: Scope, place: StageSlugs, id: string) =>
  queryOptions({
    queryKey: stageKey(kind, scope, place, id),
    queryFn: async (): Promise<Change> => ask(scope, 'changeShow', { ...place, id }),
    // Who looks at a change waits for its reviews.
    refetchInterval: shownRefreshMs,
  })

/** Reads the changes of a stage that are not settled. */
export const plannedQuery = (scope: Scope, place: StageSlugs) =>
  queryOptions({
    queryKey: stageKey(kind, scope, place, 'planned'),
    queryFn: ({ signal }) => openProposals(scope, placeOf(place), signal),
    refetchInterval: refreshMs,
  })

/** Changes that can still be applied, by the slug of their stage and the name of a variable that they touch. */
export type WaitingProposals = ReadonlyMap<string, ReadonlyMap<string, ListedChange>>

/** Returns the changes of a project that wait or run, as the same object while they stay the same. */
export function useWaitingProposals(projectSlug: string): WaitingProposals {
  const { data } = useQuery(openProposalsQuery(useScope()))
  return useMemo(() => {
    const waiting = new Map<string, Map<string, ListedChange>>()
    // The newest come first, and stay.
    for (const proposal of data?.toReversed() ?? []) {
      if (proposal.projectSlug !== projectSlug || !isWaiting(proposal)) continue
      const ofStage = waiting.get(proposal.stageSlug) ?? new Map<string, ListedChange>()
      for (const name of proposal.names) ofStage.set(name, proposal)
      waiting.set(proposal.stageSlug, ofStage)
    }
    return waiting
  }, [data, projectSlug])
}

/** Returns whether a change, or the next step of one, can still be applied without someone changing or resuming it. */
export function isWaiting({ state, conflictAt }: ListedChange): boolean {
  return (state === 'open' || state === 'running') && conflictAt === undefined
}

/** Returns whether nothing but approvals keeps a change from being applied: no freeze, no conflict, and no time or step at which the service does it. */
export function isApplicable({ state, steps, dueAtMs, frozenUntilMs, conflictAt }: Change): boolean {
  const isFree = frozenUntilMs === undefined && conflictAt === undefined && dueAtMs === undefined
  return canMove(state, 'apply') && isFree && !steps
}

/** What a person does next about a change: review it, apply what is approved, or edit what cannot be applied as it is. */
export type Need = 'review' | 'apply' | 'edit' | 'outOfDate' | 'failed'

/** Returns what a change needs from a person; undefined: nothing. What is approved needs who proposed it, and those who approved it and may apply it. */
export function needOf(proposal: ListedChange, userId: string | undefined, may: May): Need | undefined {
  const { state, needsYou, proposedBy, approvals, conflictAt, applyAtMs } = proposal
  if (needsYou) return 'review'
  const isTheirs = proposedBy === userId
  const isApproved = approvals.isApproved && approvals.rejectors.length === 0 && conflictAt === undefined
  if (state === 'open' && isApproved && applyAtMs === undefined) {
    const hasApproved = userId !== undefined && approvals.approvers.includes(userId)
    const mayApply = hasApproved && proposal.dueAtMs === undefined && may('write', placeOf(proposal))
    return isTheirs || mayApply ? 'apply' : undefined
  }
  if (!isTheirs) return undefined
  if (state !== 'open') return state === 'failed' ? 'failed' : undefined
  if (approvals.rejectors.length > 0) return 'edit'
  return conflictAt === undefined ? undefined : 'outOfDate'
}

/** Returns the stage of a change. */
export function placeOf({ projectSlug, stageSlug }: StageSlugs): StageSlugs {
  return { projectSlug, stageSlug }
}

/** Returns the names of the variables that a change touches, or their number if they are many. */
export function namesOf({ names, nameCount }: Pick<ListedChange, 'names' | 'nameCount'>): string {
  return labels.names(names, nameCount)
}

/** Returns how many approvals a stage requires. 0: direct writes are accepted. */
export function requiredApprovals({ protection }: Pick<Stage, 'protection'>): number {
  return protection?.approvals ?? 0
}

/** Returns a mutation about a change, which ends when the pages show it. */
export function useProposalChange<Input = void, Result = void>(
  place: StageSlugs,
  change: (input: Input) => Promise<Result>,
) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: change,
    // What is proposed has values, so it is not kept.
    gcTime: 0,
    onSettled: () => refresh(place),
  })
}
