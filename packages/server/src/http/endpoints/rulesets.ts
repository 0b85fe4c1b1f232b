/** Handlers of decisions inside programs. */
import { matchesEtag } from '../etag.ts'
import type { Handlers } from '../handler.ts'
import { JsonText, Reply } from '../reply.ts'
import { stageRefOf } from '../stage-ref.ts'

export const rulesetHandlers = {
  ruleset: async ({ stages, rulesets }, context) => {
    const { request, body, reads } = context
    const stage = await stages.find(stageRefOf(context, body), reads)
    const etag = rulesets.etagOf(stage, body.names)
    const headers = ['etag', etag, 'cache-control', 'private, no-cache', 'vary', 'authorization']
    if (matchesEtag(request.headers['if-none-match'], etag)) return new Reply(304, headers)
    const { salt, variables, release } = await rulesets.show(stage, body.names, context)
    const head = `{"revision":${stage.revision},"salt":${JSON.stringify(salt)},"variables":[`
    return new JsonText(head, variables, ']', headers, release)
  },
  report: async ({ stages, reports }, context) => {
    const { body, reads, requestKey } = context
    return reports.add(await stages.find(stageRefOf(context, body), reads), body.decisions, requestKey)
  },
} satisfies Partial<Handlers>
