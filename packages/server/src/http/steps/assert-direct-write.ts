import type { Place, RollWrite } from '@rollkey/contract'
import { assertTakesDirectWrite } from '../../access/protection.ts'
import type { Clock } from '../../base/clock.ts'
import type { Step } from './step.ts'

/** The stage of a write: the target of a copy, otherwise the one that the body names. */
interface WriteBody extends Place, RollWrite {
  readonly to?: Place
}

/** Throws APPROVAL_REQUIRED or STAGE_FROZEN if the stage does not take a direct write. */
export const assertDirectWrite =
  (clock: Clock): Step =>
  ({ permissions, body }) => {
    const write = body as WriteBody
    const { projectSlug, stageSlug } = write.to ?? write
    assertTakesDirectWrite(permissions, { projectSlug, stageSlug }, write, clock.now())
  }
