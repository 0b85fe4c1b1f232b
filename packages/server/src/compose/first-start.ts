/** The first start: creates the first account as the settings say, or makes the link with which a person creates it. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { WrongSetting, type Config } from '../config.ts'
import type { EmbeddedProvider } from '../identity/embedded.ts'
import type { Platform } from './platform.ts'

/** The one-time link of a first start that is left to print, if any. */
export interface FirstLinks {
  /** Creates the first account and its organization. */
  readonly setupLink: string | undefined
  /** Sets the password of the account that the settings created. */
  readonly passwordLink: string | undefined
}

const none: FirstLinks = { setupLink: undefined, passwordLink: undefined }

/**
 * Creates the first account and its organization if the settings name them and there is no account. Writes the link of a first
 * start to the file that the settings name, or returns it. Throws a WrongSetting for a password that attackers try first.
 */
export async function firstStart(
  { config, log }: Pick<Platform, 'config' | 'log'>,
  identity: EmbeddedProvider | undefined,
): Promise<FirstLinks> {
  if (!identity) return none
  const links = await linksOf({ config, log }, identity)
  const link = links.setupLink ?? links.passwordLink
  if (link === undefined || config.SETUP_LINK_PATH === undefined) return links
  await writeLink(config.SETUP_LINK_PATH, link)
  log.info('wrote the one-time link of the first start, valid for one hour', { path: config.SETUP_LINK_PATH })
  return none
}

async function linksOf(
  { config, log }: Pick<Platform, 'config' | 'log'>,
  identity: EmbeddedProvider,
): Promise<FirstLinks> {
  const { SETUP_EMAIL: email, SETUP_ORG: slug, SETUP_ORG_NAME: organizationName, SETUP_PASSWORD: password } = config
  if (email === undefined || slug === undefined) return { ...none, setupLink: await identity.setupLink() }
  if (password !== undefined && !(await identity.isSetUp()) && (await isCommon(password)))
    throw new WrongSetting(
      'ROLLKEY_SETUP_PASSWORD is among the passwords that attackers try first: choose another one, such as several words.',
    )
  const { created, passwordLink } = await identity.createFirstOwner({ email, password, slug, organizationName })
  log.info(
    created
      ? 'created the first account and its organization'
      : 'an account exists, so the settings for the first start (ROLLKEY_SETUP_…) changed nothing',
  )
  return { ...none, passwordLink }
}

/** Throws a WrongSetting if the link cannot be written to its file. Called before the store is opened. */
export function assertLinkPath({ SETUP_LINK_PATH: file }: Config): void {
  if (file !== undefined && !mayReplace(file)) {
    throw new WrongSetting(
      'ROLLKEY_SETUP_LINK_PATH names a file that is not a link of an earlier start: name a new file.',
    )
  }
}

/** Returns whether there is no such file, or one that an earlier start wrote. */
function mayReplace(file: string): boolean {
  try {
    accessSync(path.dirname(path.resolve(file)), constants.W_OK | constants.X_OK)
    return !existsSync(file) || readFileSync(file, 'utf8').includes('#token=')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new WrongSetting(
      `ROLLKEY_SETUP_LINK_PATH cannot be written (${code}): name a file in a folder that this user can write to.`,
      { cause: error },
    )
  }
}

/** Replaces the file at once, so that its reader never sees half a link. */
async function writeLink(file: string, link: string): Promise<void> {
  const unfinished = `${file}.unfinished`
  await rm(unfinished, { force: true })
  await writeFile(unfinished, `${link}\n`, { flag: 'wx', mode: 0o600 })
  await rename(unfinished, file)
}

async function isCommon(password: string): Promise<boolean> {
  // Commands that need no people must not load their libraries.
  const common = await import('../identity/common-passwords.ts')
  return common.isCommon(password)
}
