import type { Cors } from '../cors.ts'
import { Reply } from '../reply.ts'
import type { Step } from './step.ts'

/** Answers a preflight request of a browser. */
export const preflight =
  (cors: Cors): Step =>
  ({ request }) =>
    request.method === 'OPTIONS' ? new Reply(204, cors.preflight) : undefined
