/** Decides whether the caller may do what the request is for (docs/access.md). */
import type { Endpoint, Place, Verb } from '@rollkey/contract'
import type { Access } from '../../access/access.ts'
import { forbidden } from '../../access/forbidden.ts'
import type { Permissions } from '../../access/permissions.ts'
import type { Authentication, Caller } from '../../auth/authenticate.ts'
import type { RequestContext } from '../request-context.ts'
import type { Step } from './step.ts'

/** The places that the body or query of a request names: one, a source and a target, or a target whose content has a source. */
interface RequestedPlaces extends Place {
  /** Of a copy; elsewhere a day. */
  readonly from?: Place | string
  readonly to?: Place | string
  /** What a proposed change copies. */
  readonly copy?: { readonly from: Place }
  /** What is written. */
  readonly entries?: readonly { readonly template?: boolean }[]
}

/** What of an endpoint decides who may call it. */
type Guarded = Pick<Endpoint, 'verb' | 'at'>

/** A verb at a place. `anywhere`: at any place at all. */
interface Need {
  readonly verb: Verb
  readonly place: Place
  readonly anywhere?: boolean
  /** Whether the answer shows no value. */
  readonly showsNothing?: true
}

/** Returns a function that returns what a request needs, as the row of its endpoint says. */
function needsOf({ verb, at }: Guarded): (requested: RequestedPlaces) => Need[] {
  if (verb === 'none') return () => []
  if (at === 'any') return () => [{ verb, place: {}, anywhere: true }]
  return ({ projectSlug, stageSlug, from, to, copy, entries }) => {
    if (typeof from === 'object' && typeof to === 'object')
      return [
        { verb: 'read', place: from },
        { verb, place: to },
      ]
    // A stage without its project is in no place: the filter of the audit log means all stages with that slug.
    if (projectSlug === undefined) return [{ verb, place: {} }]
    if (at === 'parent') return [{ verb, place: stageSlug === undefined ? {} : { projectSlug } }]
    const target: Need = { verb, place: { projectSlug, stageSlug } }
    // Whether a template is accepted says something about the values that it names.
    const readsTarget = verb === 'write' && entries?.some(({ template }) => template)
    return [
      ...(copy ? [{ verb: 'read', place: copy.from } as const] : []),
      ...(readsTarget ? [{ verb: 'read', place: target.place, showsNothing: true } as const] : []),
      target,
    ]
  }
}

function isMet({ verb, place, anywhere }: Need, permissions: Permissions): boolean {
  // Everyone may list what they may list, which may be nothing.
  if (anywhere) return verb === 'list' || permissions.allowsSomewhere(verb)
  // A project is listed for everyone who sees something in it.
  if (verb === 'list') return permissions.isVisible(place)
  return permissions.allows(verb, place)
}

/** Returns whether the role of a member, which gives `list` and `manage` to owners and admins, could matter for the answer. */
function needsRole({ verb, place, anywhere }: Need, permissions: Permissions): boolean {
  if (verb === 'manage') return !permissions.allows('manage', anywhere ? {} : place)
  return verb !== 'write' && !permissions.allows('list', place)
}

/**
 * Sets the permissions of the caller. Throws FORBIDDEN for a missing verb, unless the place does not exist for the caller: then
 * reading it goes on and finds nothing, as at a place that does not exist for anyone.
 */
export const allow = (endpoint: Guarded, access: Access, authentication: Authentication): Step => {
  const needs = needsOf(endpoint)

  /** Throws what `allow` throws, and CONFIRMATION_REQUIRED if a person reads the values of a protected stage. */
  function decide(context: RequestContext, requested: readonly Need[], permissions: Permissions): void {
    const caller = context.caller as Caller
    context.permissions = permissions
    for (const need of requested) {
      if (!isMet(need, permissions)) refuseUnlessHidden(need, permissions, caller)
      else if (need.showsNothing) continue
      // Also of a copy, whose target may show the values to more people.
      else if (need.verb === 'read' && !caller.session?.scope && permissions.policy.isProtected(need.place))
        authentication.assertConfirmedRead(caller)
    }
  }

  async function allowWithRole(context: RequestContext, requested: Need[], byGrants: Permissions): Promise<void> {
    const role = await authentication.roleOf(context.caller as Caller, context.reads)
    decide(context, requested, byGrants.withRole(role))
  }

  function allowByGrants(context: RequestContext, permissions: Permissions): void | Promise<void> {
    const requested = needs(context.body as RequestedPlaces)
    const { session } = context.caller as Caller
    if (!session?.scope && requested.some((need) => needsRole(need, permissions)))
      return allowWithRole(context, requested, permissions)
    decide(context, requested, permissions)
  }

  return (context) => {
    const permissions = access.permissionsOf(context.caller as Caller, context.reads)
    if (permissions instanceof Promise) return permissions.then((found) => allowByGrants(context, found))
    return allowByGrants(context, permissions)
  }
}

/** Throws FORBIDDEN, unless the request reads a place that does not exist for the caller. */
function refuseUnlessHidden({ verb, place, showsNothing }: Need, permissions: Permissions, caller: Caller): void {
  const isRead = verb === 'list' || verb === 'read'
  if (!isRead || showsNothing || permissions.isVisible(place)) throw forbidden(verb, place, caller)
}
