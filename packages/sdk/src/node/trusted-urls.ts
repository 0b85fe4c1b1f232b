/** Addresses that this user trusts: a token of the environment is sent there even if only rollkey.json names them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { RollkeyError } from '../errors.ts'
import { serviceUrl } from '../service-url.ts'
import { writeFileAtomically } from './atomic-file.ts'
import { configFolder, withFolderLock } from './config-folder.ts'
import type { Environment } from './environment.ts'

const version = 1

/** Options of `openTrustedUrls`. */
interface TrustedUrlsOptions {
  /** The environment, which says where the file is. @default process.env */
  readonly env?: Environment | undefined
}

/**
 * Opens the trusted addresses of this user. It reads and writes nothing before the first call.
 *
 * @throws {Error} `ERR_SYSTEM_ERROR` if this user has no home folder and the environment names no other one.
 * @example
 * await openTrustedUrls().add('https://rollkey.example.com')
 */
export function openTrustedUrls({ env = process.env }: TrustedUrlsOptions = {}): TrustedUrls {
  return new TrustedUrls(configFolder(env))
}

/**
 * The trusted addresses of this user. No method changes a damaged file.
 *
 * @example
 * const trusted = openTrustedUrls()
 * await trusted.add('https://rollkey.example.com')
 * console.log(trusted.list()) // ['https://rollkey.example.com']
 */
export class TrustedUrls {
  /** Path of the file. */
  readonly file: string
  readonly #folder: string

  /** @internal `openTrustedUrls` creates it. */
  constructor(folder: string) {
    this.#folder = folder
    this.file = path.join(folder, 'trusted-urls.json')
  }

  /**
   * Lists the addresses.
   *
   * @throws {RollkeyError} `INVALID_SETTING` if the file is damaged or cannot be read.
   */
  list(): readonly string[] {
    const text = readText(this.file)
    if (text === undefined) return []
    const urls = parseUrls(text)
    if (urls) return urls
    throw new RollkeyError(
      'INVALID_SETTING',
      `${this.file}, which stores trusted addresses, is damaged. Remove it and run rollkey trust-url again.`,
    )
  }

  /**
   * Adds an address. Returns it as stored, without a trailing slash.
   *
   * @throws {RollkeyError} `INVALID_SETTING` if the address is malformed, or if the file is damaged or cannot be written,
   * `UNREACHABLE` if another process holds its lock for 15 seconds.
   */
  async add(url: string): Promise<string> {
    const added = serviceUrl(url, 'trust-url')
    await this.#change((urls) => [...new Set([...urls, added])].toSorted())
    return added
  }

  /**
   * Removes an address. Returns whether it was trusted.
   *
   * @throws {RollkeyError} `INVALID_SETTING` if the address is malformed, or if the file is damaged or cannot be written,
   * `UNREACHABLE` if another process holds its lock for 15 seconds.
   */
  async remove(url: string): Promise<boolean> {
    const removed = serviceUrl(url, 'trust-url')
    let wasThere = false
    await this.#change((urls) => {
      wasThere = urls.includes(removed)
      return urls.filter((each) => each !== removed)
    })
    return wasThere
  }

  async #change(edit: (urls: readonly string[]) => readonly string[]): Promise<void> {
    await withFolderLock(this.#folder, 'trusted-urls', async () => {
      const text = JSON.stringify({ version, urls: edit(this.list()) }, null, 2)
      await writeFileAtomically(this.file, `${text}\n`)
    })
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new RollkeyError(
      'INVALID_SETTING',
      `${file}, which stores trusted addresses, cannot be read (${code}). Make it readable, or remove it.`,
    )
  }
}

function parseUrls(text: string): string[] | undefined {
  try {
    const content = JSON.parse(text) as { version?: unknown; urls?: unknown } | null
    const { urls } = content ?? {}
    const isList = Array.isArray(urls) && urls.every((url) => typeof url === 'string')
    return isList && content?.version === version ? urls : undefined
  } catch {
    return undefined
  }
}
