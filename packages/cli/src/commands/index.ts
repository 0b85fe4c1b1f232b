import type { CommandSpec } from '../frame/command.ts'
import { accessExplain } from './access-explain.ts'
import { accessGrant } from './access-grant.ts'
import { accessHolders } from './access-holders.ts'
import { accessList } from './access-list.ts'
import { accessRevoke } from './access-revoke.ts'
import { config } from './config.ts'
import { completeOf } from './complete.ts'
import { completion } from './completion.ts'
import { deleteCommand } from './delete.ts'
import { diff } from './diff.ts'
import { doctor } from './doctor.ts'
import { get } from './get.ts'
import { groupAdd } from './group-add.ts'
import { groupConnect } from './group-connect.ts'
import { groupCreate } from './group-create.ts'
import { groupDelete } from './group-delete.ts'
import { groupDisconnect } from './group-disconnect.ts'
import { groupList } from './group-list.ts'
import { groupRemove } from './group-remove.ts'
import { groupRename } from './group-rename.ts'
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
import { tokenRotate } from './token-rotate.ts'
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
  tokenRotate,
  tokenRevoke,
  accessList,
  accessGrant,
  accessRevoke,
  accessExplain,
  accessHolders,
  groupList,
  groupCreate,
  groupRename,
  groupAdd,
  groupRemove,
  groupConnect,
  groupDisconnect,
  groupDelete,
  trustUrl,
  completion,
  doctor,
] as readonly CommandSpec[]

/** Every command. */
export const commands: readonly CommandSpec[] = [...shown, completeOf(shown)]

/** Groups of commands of two words, and the summary of each group. */
export const groups = {
  token: 'Manage service tokens for deployed applications and CI',
  access: 'Show and change who may do what',
  group: 'Manage groups of people, to which roles are granted together',
}
