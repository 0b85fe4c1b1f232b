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
