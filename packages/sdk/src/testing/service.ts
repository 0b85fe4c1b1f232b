/** The in-memory service, as one function from request to answer: the contract without HTTP, accounts and metering. */
import {
  attributesOf,
  bucketText,
  changedPins,
  changesRoll,
  clearedAttributes,
  compareCodePoints,
  decisionFields,
  isProductionByDefault,
  isMoreExposed,
  isRandom,
  kinds,
  pinnedSide,
  stepText,
  unitOfBinary,
  valueFieldsOf,
  type Choice,
  type Declaration,
  type DeclaredType,
} from '@rollkey/contract/rules'
import { RollkeyError } from '../errors.ts'
import { hashOfPin, hashText } from '../local/sha256.ts'
import { nearest } from '../nearest.ts'
import { quoted } from '../stage-ref.ts'
import type { StageRef, Roll } from '../types.ts'
import type {
  Answer,
  DescribedVariable,
  Digests,
  OperationName,
  Project,
  Request,
  Stage,
  VariableUpdate,
  WriteEntry,
} from '../wire.ts'
import {
  assertEntryRequest,
  assertStageRef,
  assertRoll,
  assertEntries,
  assertPins,
  assertUpdates,
  assertWrite,
  type CheckedRequest,
} from './check.ts'
import { TestStage, type StoredVariable } from './stage.ts'

/** The body of an answer without `requestId`. */
type Body<Name extends OperationName> = Omit<Answer<Name>, 'requestId'>
type Handlers = { readonly [Name in Supported]: (request: Request<Name>) => Promise<Body<Name>> | Body<Name> }
type Supported =
  | 'evaluate'
  | 'evaluateBatch'
  | 'pull'
  | 'list'
  | 'write'
  | 'update'
  | 'explain'
  | 'manifest'
  | 'digests'
  | 'ruleset'
  | 'report'
  | 'projects'

export class StageService {
  readonly #org: string
  /** Stages by project and stage slug, as JSON. */
  readonly #stages = new Map<string, TestStage>()
  /** Key of the digests, which differ between services. */
  readonly #digestKey = String(Math.random())

  /** What each project expects of its variables, by name. */
  readonly #declarations: ReadonlyMap<string, Declaration>

  constructor(org: string, declarations: ReadonlyMap<string, Declaration>) {
    this.#org = org
    this.#declarations = declarations
  }

  /** Returns the body of a 200 without `requestId`. Throws RollkeyError. */
  async answer(name: OperationName, request: object): Promise<object> {
    const handler = (this.#handlers as Partial<Record<OperationName, (request: object) => Promise<object> | object>>)[
      name
    ]
    if (!handler) throw new RollkeyError('NOT_FOUND', `The test service does not support ${name}.`)
    return handler(request)
  }

  /** Returns the revisions of the stages of a project. */
  revisions(project: string): ReadonlyMap<string, number> {
    const rows = [...this.#stages].map(([key, { revision }]) => ({ at: JSON.parse(key) as [string, string], revision }))
    const existing = rows.filter(({ at: [slug], revision }) => slug === project && revision > 0)
    return new Map(existing.map(({ at: [, stage], revision }) => [stage, revision]))
  }

  /** Returns the names of a stage that changed after a revision. */
  changedAfter(project: string, stage: string, revision: number): string[] {
    return this.stage({ org: this.#org, project, stage }).changedAfter(revision)
  }

  /** Returns a stage. One that does not exist yet is at revision 0, and a write creates it. */
  stage({ org, project, stage }: StageRef): TestStage {
    if (org !== this.#org) throw new RollkeyError('INVALID_ORG_SCOPE', 'orgSlug is not the organization of the token.')
    assertStageRef({ project, stage })
    const key = JSON.stringify([project, stage])
    const testStage = this.#stages.get(key) ?? new TestStage(stage, this.#declarations)
    this.#stages.set(key, testStage)
    return testStage
  }

  readonly #handlers: Handlers = {
    evaluate: (request) => {
      assertEntryRequest(request)
      const [evaluated] = this.#evaluate(request, [request])
      return evaluated as Body<'evaluate'>
    },
    evaluateBatch: (request) => {
      const { context, entries } = request
      assertEntries(entries)
      assertRoll({ context })
      return {
        results: this.#evaluate(
          request,
          entries.map((entry) => ({ context, ...entry })),
        ),
      }
    },
    pull: (request) => {
      assertRoll(request)
      const stage = this.#at(request)
      const pairs = stage.all().map((each) => [each.name, each.values[choose(each, request).index] ?? ''] as const)
      return { variables: Object.fromEntries(pairs), revision: stage.revision }
    },
    list: (request) => {
      const stage = this.#at(request)
      const variables = stage.all().map((variable) => ({
        ...described(variable),
        createdAtMs: variable.createdAtMs,
        updatedAtMs: variable.updatedAtMs,
      }))
      return { variables, revision: stage.revision }
    },
    write: ({ orgSlug, projectSlug, stageSlug, ...change }) => {
      assertWrite(change)
      return this.#at({ orgSlug, projectSlug, stageSlug }).write(change)
    },
    update: ({ updates, ifRevision, ...stageFields }) => {
      assertUpdates(updates)
      const stage = this.#at(stageFields)
      const entries = updates.map((update) => entryAfter(stage, update))
      return { revision: stage.write({ entries, ifRevision }, true).revision }
    },
    explain: ({ name, seed, key, context, ...stageFields }) => {
      const roll = { seed, key, context }
      assertRoll(roll)
      const stage = this.#at(stageFields)
      const { decision, step = { by: 'chance' } } = choose(rollOf(stage, name), roll)
      const { unit, ...known } = step
      const { by, ...more } = isRandom(roll) || unit === undefined ? known : { ...known, unit }
      const isKnown = more.chance === undefined || 'unit' in more
      const text = stepText({ by, ...more })
      return { name, ...(isKnown && { decision }), step: by, ...more, text, revision: stage.revision }
    },
    manifest: (request) => {
      const stage = this.#at(request)
      return { manifestVersion: 1, variables: stage.all().map(described), revision: stage.revision }
    },
    digests: async (request) => {
      const stage = this.#at(request)
      const variables = stage.all().map(async (variable) => ({
        ...described(variable),
        digests: await this.#digests(variable),
        updatedAtMs: variable.updatedAtMs,
        updatedBy: 'test',
      }))
      return { variables: await Promise.all(variables), revision: stage.revision }
    },
    ruleset: ({ names, ...stageFields }) => {
      const stage = this.#at(stageFields)
      // The salt of a revision must be the same for all who ask.
      const salt = `test-${stage.revision}`
      const all = stage.all().filter(({ name, kind, attributes: { exposure } }) => {
        return names ? names.includes(name) : kinds[kind].isRolled || isMoreExposed(exposure)
      })
      return { revision: stage.revision, salt, variables: all.map((variable) => ruleOf(variable, salt)) }
    },
    report: ({ decisions, ...stageFields }) => {
      const stage = this.#at(stageFields)
      const known = decisions.filter(({ name, decision }) => {
        const kind = stage.get(name)?.kind
        return kind !== undefined && kinds[kind].isRolled === (decision !== undefined)
      })
      return { counted: known.length, ignored: decisions.length - known.length }
    },
    projects: () => ({ projects: this.#projects() }),
  }

  #at({ orgSlug, projectSlug, stageSlug }: Request<'list'>): TestStage {
    return this.stage({ org: orgSlug, project: projectSlug, stage: stageSlug })
  }

  #evaluate(stageFields: Request<'list'>, entries: readonly CheckedRequest[]): Body<'evaluate'>[] {
    const stage = this.#at(stageFields)
    const pairs = entries.map(
      (one) => [one, stage.get(one.name) ?? missingInTest(stageFields, stage, one.name)] as const,
    )
    for (const [{ declaredType }, variable] of pairs) assertDeclaredType(variable, declaredType)
    return pairs.map(([roll, variable]) => {
      const { name, kind, declaredType, attributes, values } = variable
      const { index, decision, step } = choose(variable, roll)
      return {
        name,
        kind,
        value: values[index] ?? '',
        ...(declaredType && { declaredType }),
        ...(decision && { decision }),
        ...(roll.explain && decision && step && decisionFields({ decision, step }, attributes)),
      }
    })
  }

  async #digests(variable: StoredVariable): Promise<Digests> {
    const { kind, values, attributes, pins } = variable
    const texts = attributes.pinned ? [...values, JSON.stringify(pins)] : values
    const digests = await Promise.all(texts.map((text) => digestOf(this.#digestKey + text)))
    const roles = [...kinds[kind].values.map(({ role }) => role), 'pins']
    return Object.fromEntries(digests.map((digest, index) => [roles[index], digest]))
  }

  #projects(): Project[] {
    const rows = [...this.#stages]
      .filter(([, { revision }]) => revision > 0)
      .map(([key, stage]) => ({ at: JSON.parse(key) as [string, string], stage }))
    const slugs = [...new Set(rows.map(({ at: [project] }) => project))].toSorted(compareCodePoints)
    return slugs.map((projectSlug) => {
      const projectRows = rows.filter(({ at: [project] }) => project === projectSlug)
      return {
        projectSlug,
        name: projectSlug,
        createdAtMs: Math.min(...projectRows.map(({ stage }) => stage.times.createdAtMs)),
        variables: new Set(projectRows.flatMap(({ stage }) => stage.all().map(({ name }) => name))).size,
        stages: projectRows
          .map(({ at: [, stageSlug], stage }) => stageOf(stageSlug, stage))
          .toSorted((a, b) => a.createdAtMs - b.createdAtMs),
      }
    })
  }
}

function stageOf(stageSlug: string, stage: TestStage): Stage {
  return {
    stageSlug,
    name: stageSlug,
    isProduction: isProductionByDefault(stageSlug),
    revision: stage.revision,
    variables: stage.all().length,
    ...stage.times,
  }
}

function described({ name, kind, declaredType, attributes }: StoredVariable): DescribedVariable {
  return { name, kind, ...(declaredType && { declaredType }), ...attributes }
}

/** Returns a variable as a ruleset has it. */
function ruleOf(variable: StoredVariable, salt: string): Body<'ruleset'>['variables'][number] {
  const { kind, values, pins } = variable
  const { description: _, template: __, sources: ___, pinned, ...entry } = described(variable)
  const hashes = { a: pins.a.map((seed) => hashOfPin(salt, seed)), b: pins.b.map((seed) => hashOfPin(salt, seed)) }
  const rule = { ...entry, ...valueFieldsOf(kind, values), ...(pinned && { pins: hashes }) }
  return rule as Body<'ruleset'>['variables'][number]
}

function choose({ name, kind, attributes, pins }: StoredVariable, roll: Roll): Choice {
  const { seed, context } = roll
  return kinds[kind].choose(attributes, { pinned: pinnedSide(pins, seed), context, unit: () => unitOf(name, roll) })
}

/** Returns the write that changes a variable and keeps its values. Throws VARIABLE_NOT_FOUND and INVALID_REQUEST. */
function entryAfter(stage: TestStage, update: VariableUpdate): WriteEntry {
  const { name, pins, pin, unpin, ...changes } = update
  const variable = changesRoll(update) ? rollOf(stage, name) : (stage.get(name) ?? missing(name))
  const { kind, values, attributes, template } = variable
  const after = changedPins(variable.pins, { pins, pin, unpin })
  assertPins(name, after)
  const changed = attributesOf({ kind, ...changes, pins: after }, attributes)
  const stated = template ? { ...valueFieldsOf(kind, template), template: true } : valueFieldsOf(kind, values)
  return { name, kind, ...stated, ...clearedAttributes, ...changed, pins: after } as WriteEntry
}

/** Throws VARIABLE_NOT_FOUND, or INVALID_REQUEST if the variable is not a roll. */
function rollOf(stage: TestStage, name: string): StoredVariable {
  const variable = stage.get(name) ?? missing(name)
  const { noun, attributes } = kinds[variable.kind]
  if (attributes.includes('chance')) return variable
  throw new RollkeyError(
    'INVALID_REQUEST',
    `The variable ${JSON.stringify(name)} is a ${noun}: only rolls have a chance.`,
  )
}

/** Returns 0 <= u < 1, the same for the same seed and key. Without both, it is random. */
function unitOf(name: string, roll: Roll): number {
  if (isRandom(roll)) return Math.random()
  const { seed = '', key = '' } = roll
  return unitOfBinary(hashText(bucketText(name, seed, key)))
}

function sha256(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
}

function missing(name: string): never {
  throw new RollkeyError('VARIABLE_NOT_FOUND', `The stage has no variable ${JSON.stringify(name)}.`)
}

/** Throws VARIABLE_NOT_FOUND, with how a test creates the variable. */
function missingInTest({ projectSlug, stageSlug }: Request<'list'>, stage: TestStage, name: string): never {
  const names = stage.all().map((variable) => variable.name)
  const near = nearest(name, names)
  const hint = near.length > 0 ? `Did you mean ${quoted(near)}? Otherwise add` : 'Add'
  const place = [projectSlug, stageSlug].every((slug) => slug === 'test')
    ? ''
    : `project: '${projectSlug}', stage: '${stageSlug}', `
  const key = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name)
  throw new RollkeyError(
    'VARIABLE_NOT_FOUND',
    `The stage ${projectSlug}/${stageSlug} has no variable ${JSON.stringify(name)} that the token may read. ${hint} it to the test: createTestService({ ${place}variables: { ${key}: '…' } }).`,
  )
}

/** Throws INVALID_REQUEST unless the caller expects the stored type. An untyped variable is a string. */
function assertDeclaredType(
  { name, declaredType = 'string' }: StoredVariable,
  expected: DeclaredType | undefined,
): void {
  if (expected === undefined || expected === declaredType) return
  throw new RollkeyError(
    'INVALID_REQUEST',
    `The variable ${JSON.stringify(name)} has the declared type ${declaredType}, not ${expected}: request ${declaredType}.`,
  )
}

/** Returns the SHA-256 of a text as 43 characters of base64url. */
async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await sha256(text))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '')
}
