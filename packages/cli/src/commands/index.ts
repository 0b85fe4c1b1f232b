import type { CommandSpec } from '../frame/command.ts'
import { config } from './config.ts'
import { completeOf } from './complete.ts'
import { completion } from './completion.ts'
import { deleteCommand } from './delete.ts'
import { diff } from './diff.ts'
import { doctor } from './doctor.ts'
import { get } from './get.ts'
import { importCommand } from './import.ts'
import { init } from './init.ts'
import { list } from './list.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { pull } from './pull.ts'
import { run } from './run.ts'
import { set } from './set.ts'
import { tokenCreate } from './token-create.ts'
import { tokenList } from './token-list.ts'
import { tokenRevoke } from './token-revoke.ts'
import { trustUrl } from './trust-url.ts'
import { typegen } from './typegen.ts'
import { whoami } from './whoami.ts'

/** The commands of the help, in its order. */
const shown = [
  login,
  logout,
  whoami,
  init,
  config,
  list,
  get,
  set,
  deleteCommand,
  pull,
  importCommand,
  run,
  diff,
  typegen,
  tokenCreate,
  tokenList,
  tokenRevoke,
  trustUrl,
  completion,
  doctor,
] as readonly CommandSpec[]

/** Every command. */
export const commands: readonly CommandSpec[] = [...shown, completeOf(shown)]

/** Groups of commands of two words, and the summary of each group. */
export const groups = { token: 'Manage service tokens for deployed applications and CI' }
