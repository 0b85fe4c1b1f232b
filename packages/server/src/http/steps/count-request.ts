import type { Caller } from '../../auth/authenticate.ts'
import type { LimitedEndpoint, RateLimits } from '../limits/rate-limits.ts'
import type { UnreadAnswers } from '../limits/unread-answers.ts'
import type { Step } from './step.ts'

/**
 * Counts the request once against its rate limit and reserves memory for an answer of about `answerBytes`. Throws RATE_LIMITED.
 */
export const countRequest =
  (
    name: string,
    endpoint: LimitedEndpoint,
    answerBytes: number,
    rateLimits: RateLimits,
    unreadAnswers: UnreadAnswers,
  ): Step =>
  (context) => {
    if (context.isCounted) return
    context.isCounted = true
    try {
      const refusal = rateLimits.count(name, endpoint, context, context.caller)
      if (refusal) throw refusal
      context.clientKey = rateLimits.clientKeyOf(context, context.caller)
      context.unread = unreadAnswers.answerTo(context.clientKey)
      context.unread.reserve(answerBytes)
    } catch (error) {
      // The refusal discloses nothing, so a query that confirms the caller is not worth its cost.
      context.reads.markValidated()
      throw error
    }
  }

/** Variables that a change may carry before it counts as a further request. */
const namesPerRequest = 10
/** What names variables in the body of a change. */
const named = ['entries', 'deletes', 'updates', 'names'] as const

/** Counts the variables that a change carries against the rate limit. Throws RATE_LIMITED. */
export const countNames =
  (rateLimits: RateLimits): Step =>
  (context) => {
    const body = context.body as Readonly<Partial<Record<(typeof named)[number], readonly unknown[]>>>
    const names = named.reduce((sum, list) => sum + (body[list]?.length ?? 0), 0)
    if (names <= namesPerRequest || context.hasCountedNames) return
    context.hasCountedNames = true
    const refusal = rateLimits.countFurther(Math.ceil(names / namesPerRequest) - 1, context, context.caller as Caller)
    if (refusal) throw refusal
  }
