/** Handlers of variables: evaluations, reads and writes. */
import { TimeSlices, largeBytes } from '../../concurrency/time-slices.ts'
import { isLargeStage } from '../../stages/stages.ts'
import { changeOfEntries } from '../../variables/changes/entries.ts'
import { describeVariable, listVariables } from '../../variables/list.ts'
import { matchesEtag } from '../etag.ts'
import type { Handlers } from '../handler.ts'
import { JsonText, Reply } from '../reply.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { EvaluatedVariable } from '@rollkey/contract'

export const variableHandlers = {
  evaluate: ({ evaluation }, context) => evaluation.evaluate(stageRefOf(context, context.body), context.body, context),
  evaluateBatch: async ({ evaluation }, context) => {
    const { body } = context
    const { context: shared } = body
    const entries = shared ? body.entries.map((entry) => ({ context: shared, ...entry })) : body.entries
    const results = await evaluation.evaluateBatch(stageRefOf(context, body), entries, context)
    const characters = results.reduce((sum, { value }) => sum + value.length, 0)
    return characters > largeBytes ? new JsonText('{"results":[', await textOf(results), ']') : { results }
  },
  pull: async ({ evaluation }, context) => {
    const { body } = context
    const { members, revision, release } = await evaluation.pull(stageRefOf(context, body), body, context)
    return new JsonText('{"variables":{', members, `},"revision":${revision}`, [], release)
  },
  list: async ({ stages, lastEvaluations }, context) => {
    const stage = await stages.find(stageRefOf(context, context.body), context.reads)
    if (isLargeStage(stage)) await context.takeTurn()
    return listVariables(stage, await lastEvaluations.list(stage))
  },
  write: ({ writer }, context) => {
    const { body, actor, reads } = context
    return writer.write(stageRefOf(context, body), actor, changeOfEntries(body), reads.arrivedAt)
  },
  update: async ({ writer, updates }, context) => {
    const { body, actor, reads } = context
    const { revision } = await writer.write(stageRefOf(context, body), actor, updates.change(body), reads.arrivedAt)
    return { revision }
  },
  pins: ({ reveal }, context) => reveal.pins(stageRefOf(context, context.body), context.actor, context.body.name),
  explain: async ({ stages, explanation }, context) => {
    const { body, reads } = context
    return explanation.explain(await stages.find(stageRefOf(context, body), reads), body.name, body)
  },
  copy: ({ writer, copies }, context) => {
    const { body, actor, reads, permissions } = context
    const source = { from: stageRefOf(context, body.from), mayReadTarget: permissions.allows('read', body.to) }
    const change = copies.change(source, body)
    return writer.write(stageRefOf(context, body.to), actor, change, reads.arrivedAt)
  },
  reveal: ({ reveal: service }, context) =>
    service.show(stageRefOf(context, context.body), context.actor, context.body.names),
  plain: async ({ stages, plainValues }, context) => {
    const { body, reads } = context
    return plainValues.list(await stages.find(stageRefOf(context, body), reads), context)
  },
  manifest: async ({ stages }, context) => {
    const { request, body, reads } = context
    const stage = await stages.find(stageRefOf(context, body), reads)
    const { variables, revision } = stage
    // The tag is weak, because two answers of the same revision differ in their requestId.
    const etag = `W/"${revision}"`
    const headers = ['etag', etag, 'cache-control', 'private, no-cache', 'vary', 'authorization']
    if (matchesEtag(request.headers['if-none-match'], etag)) return new Reply(304, headers)
    if (isLargeStage(stage)) await context.takeTurn()
    return new Reply(200, headers, {
      manifestVersion: 1,
      variables: [...variables.values()].map(describeVariable),
      revision,
    })
  },
  digests: async ({ stages, digests: service }, context) => {
    const { body, reads, permissions } = context
    return service.list(await stages.find(stageRefOf(context, body), reads), permissions.allows('read', body))
  },
} satisfies Partial<Handlers>

/** Returns the results as pieces of JSON. Equal results share a piece, so a batch that repeats a value takes little memory. */
async function textOf(results: readonly EvaluatedVariable[]): Promise<Buffer[]> {
  const known = new Map<string, Buffer>()
  const pieces: Buffer[] = []
  const comma = Buffer.from(',')
  const slices = new TimeSlices()
  for (const result of results) {
    const { decision, step, rule, name } = result
    const key = [decision, step, rule, name].join(' ')
    const piece = known.get(key) ?? Buffer.from(JSON.stringify(result))
    known.set(key, piece)
    if (pieces.length > 0) pieces.push(comma)
    pieces.push(piece)
    if (slices.isOver) await slices.next()
  }
  return pieces
}
