/** Handlers of proposed changes and ramps. */
import { changeCallerOf, seesPlain, sourceOf } from '../change-caller.ts'
import type { Handlers } from '../handler.ts'
import { stageRefOf } from '../stage-ref.ts'

export const changeHandlers = {
  changePropose: ({ changes }, context) => {
    const { body } = context
    const copyFrom = sourceOf(context, body)
    return changes.propose(changeCallerOf(context), stageRefOf(context, body), { ...body, copyFrom })
  },
  changeList: ({ changeReader }, context) => changeReader.list(changeCallerOf(context), context.body),
  changeShow: ({ changeReader, authentication }, context) => {
    const { body } = context
    const isPlainSeen = seesPlain(context, body, authentication)
    return changeReader.show(changeCallerOf(context), stageRefOf(context, body), body.id, isPlainSeen)
  },
  changeReveal: async ({ changeReader }, context) => {
    const { body, actor } = context
    return { variables: await changeReader.reveal(actor, stageRefOf(context, body), body.id, body.names) }
  },
  changeEdit: ({ changes }, context) => {
    const { body } = context
    const copyFrom = sourceOf(context, body)
    return changes.edit(changeCallerOf(context), stageRefOf(context, body), { ...body, copyFrom })
  },
  changeReview: ({ changes }, context) =>
    changes.review(changeCallerOf(context), stageRefOf(context, context.body), context.body),
  changeApply: ({ applier }, context) =>
    applier.apply(changeCallerOf(context), stageRefOf(context, context.body), context.body),
  changeWithdraw: async ({ changes }, context) => {
    await changes.withdraw(changeCallerOf(context), stageRefOf(context, context.body), context.body.id)
    return { ok: true }
  },
  changeReschedule: ({ changes }, context) =>
    changes.reschedule(changeCallerOf(context), stageRefOf(context, context.body), context.body),
  changePause: ({ ramps }, context) =>
    ramps.pause(changeCallerOf(context), stageRefOf(context, context.body), context.body.id),
  changeResume: ({ ramps }, context) =>
    ramps.resume(changeCallerOf(context), stageRefOf(context, context.body), context.body.id),
  changeSkip: ({ ramps }, context) =>
    ramps.skip(changeCallerOf(context), stageRefOf(context, context.body), context.body),
  changeAbort: ({ ramps }, context) =>
    ramps.abort(changeCallerOf(context), stageRefOf(context, context.body), context.body),
} satisfies Partial<Handlers>
