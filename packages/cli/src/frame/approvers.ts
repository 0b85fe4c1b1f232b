/** Who may approve changes of a protected stage. */
import { approversOf, areTooFew, type Place } from '@rollkey/contract/rules'
import type { Client, Principal } from '@rollkey/sdk'
import { ifAllowed } from './people.ts'
import { placeText } from './principal.ts'

/** A role on the stage that is about to be granted. */
interface NewRole {
  readonly principal: Principal
  readonly role: string
}

/** Returns what to do about a stage on which too few people may approve; undefined if they suffice, or the caller may not know. */
export async function shortageOf(
  client: Client,
  place: Required<Place>,
  { approvals, more }: { readonly approvals: number; readonly more: readonly NewRole[] },
): Promise<string | undefined> {
  const { access, roles, groups } = client.manage
  const lists = () => Promise.all([access.list(place), roles.list(), groups.list()])
  const found = approvals === 0 ? undefined : await ifAllowed(lists(), undefined)
  if (!found) return undefined
  const [{ grants }, { roles: known }, { groups: all }] = found
  const added = more.map((each) => ({ ...each, ...place }))
  const approvers = approversOf(place, { grants: [...grants, ...added], roles: known, groups: all }, Date.now())
  const { projects } = await client.projects()
  const stages = projects.find(({ projectSlug }) => projectSlug === place.projectSlug)?.stages ?? []
  const { selfApproval = false } = stages.find(({ stageSlug }) => stageSlug === place.stageSlug)?.protection ?? {}
  if (!areTooFew(approvers, { approvals, selfApproval })) return undefined
  const count = approvers.people.size
  const where = placeText(place)
  const who = count === 0 ? 'No one may' : count === 1 ? 'Only 1 person may' : `Only ${count} people may`
  const waiting = count < approvals ? 'every change' : 'each change of theirs'
  return `${who} approve on ${where}, so ${waiting} waits. Give more people a role that approves: rollkey access grant EMAIL releaser ${where}`
}
