import type { RequestContext } from '../request-context.ts'

/** A check of the funnel. Returns an answer to end the request with it. Throws an ApiError to refuse the request. */
export type Step = (context: RequestContext) => object | undefined | void | Promise<object | undefined | void>
