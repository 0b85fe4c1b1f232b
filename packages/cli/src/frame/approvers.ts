/** Who may approve changes of a protected stage. */
import type { Place } from '@rollkey/contract/rules'
import type { Client, Principal } from '@rollkey/sdk'
import { ifAllowed } from './people.ts'
import { placeText } from './principal.ts'

/** A role on the stage that is about to be granted. */
interface NewRole {
  readonly principal: Principal
  readonly role: string
}

/**
 * Returns how many people may approve on a protected stage; undefined if the caller may not know, or if the identity provider decides who
 * is in a group of approvers. Only grants on the stage itself count, and machines approve nothing.
 */
async function approverCount(
  client: Client,
  place: Required<Place>,
  more: readonly NewRole[],
): Promise<number | undefined> {
  const { access, roles, groups } = client.manage
  const found = await ifAllowed(Promise.all([access.list(place), roles.list(), groups.list()]), undefined)
  if (!found) return undefined
  const [{ grants }, { roles: known }, { groups: all }] = found
  const approving = new Set(known.filter(({ verbs }) => verbs.includes('approve')).map(({ name }) => name))
  const isValid = ({ expiresAtMs = Infinity }: (typeof grants)[number]): boolean => expiresAtMs > Date.now()
  const granted = grants.filter((grant) => grant.stageSlug === place.stageSlug && isValid(grant))
  const principals = [...granted, ...more].filter(({ role }) => approving.has(role)).map(({ principal }) => principal)
  const approvingGroups = all.filter(({ id }) => principals.some((each) => each.kind === 'group' && each.id === id))
  if (approvingGroups.some(({ idpGroup }) => idpGroup !== undefined)) return undefined
  const people = [...principals, ...approvingGroups.flatMap(({ members }) => members)]
  return new Set(people.filter(({ kind }) => kind === 'user').map(({ id }) => id)).size
}

/** Returns what to do about a stage on which too few people may approve; undefined if they suffice. */
export async function shortageOf(
  client: Client,
  place: Required<Place>,
  { approvals, more }: { readonly approvals: number; readonly more: readonly NewRole[] },
): Promise<string | undefined> {
  const count = approvals === 0 ? undefined : await approverCount(client, place, more)
  if (count === undefined) return undefined
  const { projects } = await client.projects()
  const stages = projects.find(({ projectSlug }) => projectSlug === place.projectSlug)?.stages ?? []
  const { selfApproval = false } = stages.find(({ stageSlug }) => stageSlug === place.stageSlug)?.protection ?? {}
  if (count - Number(!selfApproval) >= approvals) return undefined
  const where = placeText(place)
  const who = count === 0 ? 'No one may' : count === 1 ? 'Only 1 person may' : `Only ${count} people may`
  const waiting = count < approvals ? 'every change' : 'each change of theirs'
  return `${who} approve on ${where}, so ${waiting} waits. Give more people a role that approves: rollkey access grant EMAIL releaser ${where}`
}
