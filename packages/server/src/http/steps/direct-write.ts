/** What a write must pass, and what it needs, before its turn. */
import type { RollWrite } from '@rollkey/contract'
import { assertTakesDirectWrite } from '../../access/protection.ts'
import type { Caller } from '../../auth/authenticate.ts'
import type { Clock } from '../../base/clock.ts'
import type { StageRef, Stages } from '../../stages/stages.ts'
import { stageRefOf } from '../stage-ref.ts'
import type { Step } from './step.ts'

type WrittenPlace = Pick<StageRef, 'projectSlug' | 'stageSlug'>

/** The body of a write to a stage that it names. */
interface WriteBody extends WrittenPlace {
  /** What changes without values; absent: the write is another one. */
  readonly updates?: readonly RollWrite[]
  /** The target of a copy. */
  readonly to?: WrittenPlace
}

/** Throws APPROVAL_REQUIRED or STAGE_FROZEN if the stage does not take a direct write. */
export const assertDirectWrite =
  (clock: Clock): Step =>
  ({ permissions, body }) => {
    const write = body as WriteBody
    const { projectSlug, stageSlug } = write.to ?? write
    assertTakesDirectWrite(permissions, { projectSlug, stageSlug }, write.updates ?? [], clock.now())
  }

/** Adds the stage to the read set, so that one round confirms the caller and what the write depends on. */
export const expectStage =
  (stages: Stages): Step =>
  ({ caller, permissions, reads, body }) => {
    const write = body as WriteBody
    stages.expect(stageRefOf({ caller: caller as Caller, permissions }, write.to ?? write), reads)
  }
