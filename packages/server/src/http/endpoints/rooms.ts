import type { Evaluation } from '../../evaluation/evaluate.ts'
import type { DeviceCodes } from '../../sessions/device-codes.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { Stages } from '../../variables/stages.ts'
import type { VariableWriter } from '../../variables/write.ts'

/** What the endpoints are told over. */
export interface Rooms {
  readonly evaluation: Evaluation
  readonly stages: Stages
  readonly writer: VariableWriter
  readonly sessions: Sessions
  readonly deviceCodes: DeviceCodes
  /** The address that people reach the service at, without a slash at its end. */
  readonly publicUrl: () => string
}
