/** Values, versions and names of a stage by the KV version 2 API: a stage is a secret whose keys are its variables. */
import { endpoints } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import { chooseForAnyone } from '../../evaluation/choose.ts'
import type { Evaluation } from '../../evaluation/evaluate.ts'
import { withHeldRotations } from '../../evaluation/held-rotations.ts'
import type { PastValues, Version, Versions } from '../../evaluation/versions.ts'
import { assertInScope } from '../../sessions/token-scope.ts'
import type { Projects } from '../../stages/projects.ts'
import type { StoredVariable } from '../../stages/stored-variable.ts'
import { isLargeStage, throwNotFound, type Stage } from '../../stages/stages.ts'
import type { DialectRoute } from '../dialect.ts'
import { unknownBytes } from '../limits/unread-answers.ts'
import type { RequestContext } from '../request-context.ts'
import { stageRefOf } from '../stage-ref.ts'
import { answerOf, answerWithValues, metadataOf } from './answer.ts'
import { nameIn, readRoute, slug, type PlacedContext, type ReadRoute, type VaultParts } from './steps.ts'
import { rollRefused } from './vault-dialect.ts'

export interface VaultReadParts extends VaultParts {
  readonly evaluation: Evaluation
  readonly versions: Versions
  readonly projects: Projects
}

/** Returns the stage. Throws VARIABLE_NOT_FOUND if it does not exist. */
async function stageOf({ stages }: VaultParts, context: PlacedContext): Promise<Stage> {
  const stage = await stages.find(stageRefOf(context, context.body), context.reads)
  if (stage.stageId === '') throw new ApiError('VARIABLE_NOT_FOUND')
  return stage
}

/** Returns the version that the query names; undefined: the current one. Throws INVALID_REQUEST. */
function versionIn({ query }: Pick<RequestContext, 'query'>): number | undefined {
  if (query === '') return undefined
  const text = new URLSearchParams(query).get('version') ?? ''
  if (!/^\d{0,15}$/.test(text))
    throw new ApiError('INVALID_REQUEST', 'version is not a whole number: send a revision, or leave it out.')
  return Number(text) || undefined
}

/** What a read needs to know about all variables of a stage. */
interface Summary {
  /** The stage in which each secret that is being rotated has its old value. */
  readonly held: Stage
  /** When the latest of them was written. */
  readonly writtenAtMs: number
  /** Those whose value is not the same for everyone. */
  readonly rolls: ReadonlySet<StoredVariable>
}

const summaries = new WeakMap<Stage, Summary>()

function summaryOf(stage: Stage): Summary {
  const known = summaries.get(stage)
  if (known) return known
  const held = withHeldRotations(stage)
  const variables = [...held.variables.values()]
  const summary = {
    held,
    writtenAtMs: variables.reduce((latest, { updatedAtMs }) => Math.max(latest, updatedAtMs), 0),
    rolls: new Set(variables.filter((variable) => !chooseForAnyone(variable))),
  }
  summaries.set(stage, summary)
  return summary
}

/** Returns what to tell about rolls that an answer leaves out. */
function warningsOf(rolls: readonly string[]): string[] {
  return rolls.map(
    (name) => `${JSON.stringify(name)} is left out: it is a roll, and its side is not the same for everyone.`,
  )
}

/** Returns the values of an earlier version. Throws FORBIDDEN without the right to the history, and VARIABLE_NOT_FOUND. */
async function pastOf(
  { versions }: VaultReadParts,
  context: PlacedContext,
  { stage, version, name }: { stage: Stage; version: number; name?: string },
): Promise<PastValues> {
  const { scope } = context.caller.session ?? {}
  if (scope) assertInScope(scope, context.body, { history: true })
  const past = await versions.read(stage, version, name, context)
  if (!past) throw new ApiError('VARIABLE_NOT_FOUND')
  return past
}

function readStage(parts: VaultReadParts) {
  const { evaluation } = parts
  return async (context: PlacedContext): Promise<object> => {
    const { requestId } = context
    const stage = await stageOf(parts, context)
    const version = versionIn(context) ?? stage.revision
    if (version !== stage.revision) {
      const past = await pastOf(parts, context, { stage, version })
      const data = { data: Object.fromEntries(past.values), metadata: metadataOf(version, past.writtenAtMs) }
      return answerOf(requestId, { data, warnings: warningsOf(past.rolls) })
    }
    const { held, rolls, writtenAtMs } = summaryOf(stage)
    const current = metadataOf(version, writtenAtMs)
    if (rolls.size === 0) {
      const { members, release } = await evaluation.pullFrom(held, {}, context)
      return answerWithValues(requestId, { members, metadata: current, warnings: [] }, release)
    }
    const entries = [...held.variables.values()].filter((variable) => !rolls.has(variable))
    const results = await evaluation.evaluateIn(held, entries, context)
    const data = { data: Object.fromEntries(results.map(({ name, value }) => [name, value])), metadata: current }
    return answerOf(requestId, { data, warnings: warningsOf([...rolls].map(({ name }) => name)) })
  }
}

function readOne(parts: VaultReadParts) {
  const { evaluation, versions } = parts
  return async (context: PlacedContext): Promise<object> => {
    const { requestId, body } = context
    const name = nameIn(context) ?? ''
    const stage = await stageOf(parts, context)
    const variable = stage.variables.get(name)
    const current = variable && (await versions.of(stage, variable))
    const version = versionIn(context) ?? current ?? throwNotFound(name)
    if (version !== current) {
      const { values, writtenAtMs } = await pastOf(parts, context, { stage, version, name })
      const value = values.get(name)
      if (value === undefined) throw new ApiError('INVALID_REQUEST', rollRefused)
      return answerOf(requestId, { data: { data: { value }, metadata: metadataOf(version, writtenAtMs) } })
    }
    const flag = { name, roll: {}, isVisible: () => true }
    return evaluation.evaluateFlag(stageRefOf(context, body), flag, context, ({ value, variable: { updatedAtMs } }) =>
      answerOf(requestId, { data: { data: { value }, metadata: metadataOf(version, updatedAtMs) } }),
    )
  }
}

/** Returns the versions that the caller may read, the newest first: without the right to the history only the current one. */
async function versionsOf(
  { versions }: VaultReadParts,
  { caller }: PlacedContext,
  stage: Stage,
  name: string | undefined,
): Promise<readonly Version[]> {
  const listed = await versions.list(stage, name)
  return caller.session?.scope?.history === false ? listed.slice(0, 1) : listed
}

function showVersions(parts: VaultReadParts) {
  return async (context: PlacedContext): Promise<object> => {
    const name = nameIn(context)
    const stage = await stageOf(parts, context)
    const variable = name === undefined ? undefined : (stage.variables.get(name) ?? throwNotFound(name))
    const listed = await versionsOf(parts, context, stage, name)
    const updatedAtMs = listed[0]?.writtenAtMs ?? summaryOf(stage).writtenAtMs
    const oldest = listed.at(-1)
    const data = {
      cas_required: false,
      created_time: new Date(variable?.createdAtMs ?? oldest?.writtenAtMs ?? updatedAtMs).toISOString(),
      current_version: listed[0]?.revision ?? stage.revision,
      custom_metadata: null,
      delete_version_after: '0s',
      max_versions: 0,
      oldest_version: oldest?.revision ?? stage.revision,
      updated_time: new Date(updatedAtMs).toISOString(),
      versions: Object.fromEntries(
        listed.map(({ revision, writtenAtMs }) => [
          revision,
          { created_time: new Date(writtenAtMs).toISOString(), deletion_time: '', destroyed: false },
        ]),
      ),
    }
    return answerOf(context.requestId, { data })
  }
}

function subkeys(parts: VaultReadParts) {
  return async (context: PlacedContext): Promise<object> => {
    const name = nameIn(context)
    const stage = await stageOf(parts, context)
    const variable = name === undefined ? undefined : (stage.variables.get(name) ?? throwNotFound(name))
    const names = variable ? ['value'] : [...stage.variables.keys()]
    const version = variable ? await parts.versions.of(stage, variable) : stage.revision
    const data = {
      metadata: metadataOf(version, variable?.updatedAtMs ?? summaryOf(stage).writtenAtMs),
      subkeys: Object.fromEntries(names.map((key) => [key, null])),
    }
    return answerOf(context.requestId, { data })
  }
}

/** Returns the names of what is in a project or stage. Throws VARIABLE_NOT_FOUND for none, as Vault does. */
function listKeys(parts: VaultReadParts) {
  return async (context: PlacedContext): Promise<object> => {
    const { body, caller, permissions } = context
    const { projectSlug, stageSlug } = body
    const isVisible = (place: { readonly projectSlug: string; readonly stageSlug?: string }) =>
      permissions.isVisible(place)
    const inProject = async () => (await parts.projects.slugs(caller.orgId, isVisible)).get(projectSlug) ?? []
    const found = stageSlug === undefined ? await inProject() : [...(await stageOf(parts, context)).variables.keys()]
    if (found.length === 0) throw new ApiError('VARIABLE_NOT_FOUND')
    return answerOf(context.requestId, { data: { keys: found } })
  }
}

function metadataOrKeys(parts: VaultReadParts) {
  const [show, list] = [showVersions(parts), listKeys(parts)]
  return async (context: PlacedContext): Promise<object> => {
    const { stages } = parts
    const stage = await stages.find(stageRefOf(context, context.body), context.reads)
    if (isLargeStage(stage)) await context.takeTurn()
    if (!isList(context)) return show(context)
    // Nothing is below a variable.
    if (nameIn(context) !== undefined) throw new ApiError('VARIABLE_NOT_FOUND')
    return list(context)
  }
}

/** Returns whether the request has the method LIST, or what Go's client sends in its place. */
function isList({ request, query }: Pick<RequestContext, 'request' | 'query'>): boolean {
  return request.method === 'LIST' || ['true', '1'].includes(new URLSearchParams(query).get('list') ?? '')
}

function at(kind: string): string {
  return `(?<mount>${slug})/${kind}/(?<stageSlug>${slug})`
}

export function vaultReadRoutes(parts: VaultReadParts): DialectRoute[] {
  const unmetered = { row: endpoints.list, answerBytes: unknownBytes }
  const routes: ReadRoute[] = [
    {
      name: 'vaultRead',
      path: `${at('data')}/?`,
      methods: ['GET'],
      row: endpoints.pull,
      answerBytes: 0,
      handler: readStage(parts),
    },
    {
      name: 'vaultReadOne',
      path: `${at('data')}/(?<name>.+)`,
      methods: ['GET'],
      row: endpoints.evaluate,
      answerBytes: 0,
      handler: readOne(parts),
    },
    {
      name: 'vaultSubkeys',
      path: `${at('subkeys')}(?:/|/(?<name>.+))?`,
      methods: ['GET'],
      ...unmetered,
      handler: subkeys(parts),
    },
    {
      name: 'vaultList',
      path: `(?<mount>${slug})/metadata/?`,
      methods: ['GET', 'LIST'],
      ...unmetered,
      handler: listKeys(parts),
    },
    {
      name: 'vaultMetadata',
      path: `${at('metadata')}(?:/|/(?<name>.+))?`,
      methods: ['GET', 'LIST'],
      ...unmetered,
      handler: metadataOrKeys(parts),
    },
  ]
  return routes.map((route) => readRoute(parts, route))
}
