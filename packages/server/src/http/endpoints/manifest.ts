import { isLargeStage } from '../../stages/stages.ts'
import { describeVariable } from '../../variables/list.ts'
import { matchesEtag } from '../etag.ts'
import type { Handler } from '../handler.ts'
import { Reply } from '../reply.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const manifest =
  ({ stages }: Services): Handler<'manifest'> =>
  async (context) => {
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
  }
