import type { Handler } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Services } from '../services.ts'

export const explain =
  ({ stages, explanation }: Services): Handler<'explain'> =>
  async (context) => {
    const { body, reads } = context
    return explanation.explain(await stages.find(stageRefOf(context, body), reads), body.name, body)
  }
