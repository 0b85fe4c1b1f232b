import type { CommandSpec } from '../frame/command.ts'
import { accessCommands } from './access.ts'
import { audit } from './audit.ts'
import { changeCommands } from './change.ts'
import { check } from './check.ts'
import { completeOf } from './complete.ts'
import { completion } from './completion.ts'
import { config } from './config.ts'
import { copy } from './copy.ts'
import { declareCommands } from './declare.ts'
import { deleteCommand } from './delete.ts'
import { diff } from './diff.ts'
import { doctor } from './doctor.ts'
import { get } from './get.ts'
import { groupCommands } from './group.ts'
import { history } from './history.ts'
import { hookCommands } from './hook.ts'
import { importCommand } from './import.ts'
import { init } from './init.ts'
import { keyCommands } from './key.ts'
import { list } from './list.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { open } from './open.ts'
import { overrideCommands } from './override.ts'
import { projectCommands } from './project.ts'
import { promote } from './promote.ts'
import { pull } from './pull.ts'
import { ramp } from './ramp.ts'
import { render } from './render.ts'
import { restore } from './restore.ts'
import { roleCommands } from './role.ts'
import { rollCommands } from './roll.ts'
import { rotate } from './rotate.ts'
import { run } from './run.ts'
import { schedule } from './schedule.ts'
import { search } from './search.ts'
import { set } from './set.ts'
import { stageCommands } from './stage.ts'
import { tokenCommands } from './token.ts'
import { trustUrl } from './trust-url.ts'
import { trustCommands } from './trust.ts'
import { typegen } from './typegen.ts'
import { whoami } from './whoami.ts'

/** The commands by section of the help, in its order. */
const shown = {
  'Get started': [login, logout, whoami, init, config, open, doctor],
  Variables: [list, search, get, set, rotate, deleteCommand, pull, importCommand, run, render, typegen],
  Declarations: [check, ...declareCommands],
  'Projects and stages': [...projectCommands, ...stageCommands, diff, copy, promote, history, restore],
  'Rolls and changes': [...rollCommands, ramp, ...changeCommands, schedule],
  Access: [
    ...accessCommands,
    ...groupCommands,
    ...roleCommands,
    ...tokenCommands,
    ...keyCommands,
    ...trustCommands,
    ...hookCommands,
    audit,
  ],
  'This machine': [...overrideCommands, trustUrl, completion],
} as Readonly<Record<string, readonly CommandSpec[]>>

/** All commands by section. The last one, which shells call, is hidden. */
export const sections = { ...shown, Hidden: [completeOf(Object.values(shown).flat())] }

/** Every command. */
export const commands: readonly CommandSpec[] = Object.values(sections).flat()

/** Where the work with a group of commands begins, if another command begins it. */
export const groupStarts: Readonly<Record<string, CommandSpec['examples']>> = {
  change: [['set LIMIT 25 --propose --reason "Larger carts"', 'proposes a change']],
}

/** Groups of commands of two words, and the summary of each group. */
export const groups = {
  roll: 'Show and change how A/B rolls decide, without their values',
  change: 'Show, review and apply proposed changes',
  declare: 'Keep what a project expects of its variables in a file',
  token: 'Manage service tokens for deployed applications and CI',
  key: 'Manage client keys for web pages and apps',
  trust: 'Let CI systems and clusters exchange their own tokens for access',
  hook: 'Tell other programs and chats what happens',
  access: 'Show and change who may do what',
  group: 'Manage groups of people, to which roles are granted together',
  role: 'Manage the roles that can be granted',
  project: 'List and create projects',
  stage: 'List, create, order and protect stages',
  override: 'Use other values on this machine, which are never sent',
}
