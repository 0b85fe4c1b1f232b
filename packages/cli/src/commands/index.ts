import type { CommandSpec } from '../frame/command.ts'
import { accessExplain } from './access-explain.ts'
import { accessGrant } from './access-grant.ts'
import { accessHolders } from './access-holders.ts'
import { accessList } from './access-list.ts'
import { accessRevoke } from './access-revoke.ts'
import { changeList } from './change-list.ts'
import { changeShow } from './change-show.ts'
import { changeApprove } from './change-approve.ts'
import { changeRebase } from './change-rebase.ts'
import { changeReject } from './change-reject.ts'
import { changeApply } from './change-apply.ts'
import { changeWithdraw } from './change-withdraw.ts'
import { changePause } from './change-pause.ts'
import { changeResume } from './change-resume.ts'
import { changeSkip } from './change-skip.ts'
import { changeAbort } from './change-abort.ts'
import { ramp } from './ramp.ts'
import { schedule } from './schedule.ts'
import { config } from './config.ts'
import { audit } from './audit.ts'
import { completeOf } from './complete.ts'
import { completion } from './completion.ts'
import { copy } from './copy.ts'
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
import { history } from './history.ts'
import { importCommand } from './import.ts'
import { init } from './init.ts'
import { keyCreate } from './key-create.ts'
import { keyList } from './key-list.ts'
import { keyRevoke } from './key-revoke.ts'
import { list } from './list.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { promote } from './promote.ts'
import { pull } from './pull.ts'
import { restore } from './restore.ts'
import { roleDelete } from './role-delete.ts'
import { roleList } from './role-list.ts'
import { roleSet } from './role-set.ts'
import { rollExplain } from './roll-explain.ts'
import { rollPin } from './roll-pin.ts'
import { rollRule } from './roll-rule.ts'
import { rollSet } from './roll-set.ts'
import { rollShow } from './roll-show.ts'
import { rollStop } from './roll-stop.ts'
import { rollUnpin } from './roll-unpin.ts'
import { run } from './run.ts'
import { search } from './search.ts'
import { set } from './set.ts'
import { stageProtect } from './stage-protect.ts'
import { stageUnprotect } from './stage-unprotect.ts'
import { tokenCreate } from './token-create.ts'
import { tokenList } from './token-list.ts'
import { tokenRevoke } from './token-revoke.ts'
import { tokenRotate } from './token-rotate.ts'
import { trustCreate } from './trust-create.ts'
import { trustDelete } from './trust-delete.ts'
import { trustList } from './trust-list.ts'
import { trustTest } from './trust-test.ts'
import { trustUpdate } from './trust-update.ts'
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
  search,
  get,
  set,
  deleteCommand,
  pull,
  importCommand,
  run,
  diff,
  copy,
  promote,
  history,
  restore,
  typegen,
  rollShow,
  rollExplain,
  rollSet,
  rollPin,
  rollUnpin,
  rollRule,
  rollStop,
  ramp,
  changeList,
  changeShow,
  changeApprove,
  changeReject,
  changeApply,
  changeRebase,
  changeWithdraw,
  changePause,
  changeResume,
  changeSkip,
  changeAbort,
  schedule,
  tokenCreate,
  tokenList,
  tokenRotate,
  tokenRevoke,
  keyCreate,
  keyList,
  keyRevoke,
  trustCreate,
  trustList,
  trustTest,
  trustUpdate,
  trustDelete,
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
  roleList,
  roleSet,
  roleDelete,
  stageProtect,
  stageUnprotect,
  audit,
  trustUrl,
  completion,
  doctor,
] as readonly CommandSpec[]

/** Every command. */
export const commands: readonly CommandSpec[] = [...shown, completeOf(shown)]

/** Groups of commands of two words, and the summary of each group. */
export const groups = {
  roll: 'Show and change how A/B rolls decide, without their values',
  change: 'Show, review and apply proposed changes',
  token: 'Manage service tokens for deployed applications and CI',
  key: 'Manage client keys for web pages and apps',
  trust: 'Let CI systems and clusters exchange their own tokens for access',
  access: 'Show and change who may do what',
  group: 'Manage groups of people, to which roles are granted together',
  role: 'Manage the roles that can be granted',
  stage: 'Protect stages from access that is granted around them',
}
