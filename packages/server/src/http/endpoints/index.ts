/** The handlers of the API, by resource as the contract. One that is missing, or whose type differs from its row, does not compile. */
import type { Handlers } from '../handler.ts'
import { accessHandlers } from './access.ts'
import { changeHandlers } from './changes.ts'
import { declarationHandlers } from './declarations.ts'
import { historyHandlers } from './history.ts'
import { hookHandlers } from './hooks.ts'
import { keyHandlers } from './keys.ts'
import { organizationHandlers } from './organization.ts'
import { projectHandlers } from './projects.ts'
import { rulesetHandlers } from './rulesets.ts'
import { sessionHandlers } from './sessions.ts'
import { tokenHandlers } from './tokens.ts'
import { trustHandlers } from './trusts.ts'
import { variableHandlers } from './variables.ts'
import { webHandlers } from './web.ts'

export const handlers: Handlers = {
  ...variableHandlers,
  ...rulesetHandlers,
  ...historyHandlers,
  ...changeHandlers,
  ...projectHandlers,
  ...declarationHandlers,
  ...organizationHandlers,
  ...accessHandlers,
  ...tokenHandlers,
  ...trustHandlers,
  ...keyHandlers,
  ...hookHandlers,
  ...sessionHandlers,
  ...webHandlers,
}
