/** Requests to the program from which `rollkey import --address` reads. Errors never quote its answer, which may be secret. */
import { createApi } from '@rollkey/sdk/core'
import { unreachable } from '@rollkey/sdk/node'
import { RollkeyError } from '@rollkey/sdk'
import { CliError, exit, inWordsOfCommands, usage, type CliErrorCode, type ExitStatus } from '../frame/cli-error.ts'
import type { Context } from '../frame/context.ts'
import { unreadable } from './entry.ts'

/** A program that an import can read. */
export interface SourceProgram {
  /** Its name for people. */
  readonly name: string
  /** The environment variable with its token. */
  readonly tokenVariable: string
  /** Which token that is, for who has none. */
  readonly tokenAdvice: string
  /** Returns the headers of a request. */
  readonly headers: (token: string, env: NodeJS.ProcessEnv) => Record<string, string>
}

const help = 'rollkey import --help'
const answerMs = 10_000

function failed(code: CliErrorCode, message: string, status: ExitStatus): CliError {
  return new CliError(code, message, { status, command: help })
}

/** A program at an address, with the token of the environment. */
export class Source {
  readonly #context: Context
  readonly #program: SourceProgram
  readonly #base: string
  readonly #token: string
  readonly #maxWaitMs: number

  /** Throws USAGE for an address that is malformed or plain http to another machine, and without a token. */
  constructor(context: Context, program: SourceProgram, address: string, maxWaitMs = answerMs) {
    const { env, allowHttp } = context
    const { name, tokenVariable, tokenAdvice } = program
    this.#context = context
    this.#program = program
    this.#base = checkedAddress(address, allowHttp)
    this.#token = env[tokenVariable] ?? ''
    if (this.#token === '')
      throw usage(`${tokenVariable} is not set (expected ${tokenAdvice} of ${name} in the environment)`, help)
    this.#maxWaitMs = maxWaitMs
  }

  /** Returns the JSON at a path, or undefined for a status in `absent`. Throws an error that says what to do. */
  async read(path: string, absent: readonly number[] = [404]): Promise<string | undefined> {
    const { status, body, location } = await this.#answer(path)
    if (absent.includes(status) && !isPage(body)) return undefined
    if (status === 200 && !isPage(body)) return body
    throw this.#refusal(path, { status, isPage: isPage(body), location })
  }

  async #answer(path: string): Promise<{ status: number; body: string; location: string | null }> {
    const { fetch, env } = this.#context
    const signal = AbortSignal.timeout(this.#maxWaitMs)
    const headers = { accept: 'application/json', ...this.#program.headers(this.#token, env) }
    try {
      const init = { method: 'GET', headers, body: null, redirect: 'manual', signal } as const
      const reply = await fetch(`${this.#base}/${path}`, init)
      return { status: reply.status, body: await reply.text(), location: reply.headers.get('location') }
    } catch (error) {
      // The error of a proxy says what to do.
      if (error instanceof RollkeyError) throw error
      const { name } = this.#program
      const { message } = unreachable(`${name} at ${this.#base}`, error)
      const what = signal.aborted
        ? `${name} at ${this.#base} did not answer within ${this.#maxWaitMs / 1_000} s`
        : message
      throw failed(
        'UNREACHABLE',
        `${what.replace(/\.$/, '')}. Check --address, the network and the proxy`,
        exit.unreachable,
      )
    }
  }

  #refusal(
    path: string,
    { status, isPage: isHtml, location }: { status: number; isPage: boolean; location: string | null },
  ): CliError {
    const { name, tokenVariable, tokenAdvice } = this.#program
    const where = `${name} at ${this.#base}`
    if (status === 401 || status === 403) {
      const what = `${where} refused the token of ${tokenVariable} for ${path} (${status}). Set ${tokenAdvice} that may read it`
      return failed('SOURCE_REFUSED', what, exit.forbidden)
    }
    if (status >= 300 && status < 400) {
      const to =
        location !== null && URL.canParse(location, this.#base) ? ` to ${new URL(location, this.#base).origin}` : ''
      return failed(
        'INVALID_IMPORT',
        `${where} redirects${to}. Use the address of the service itself as --address`,
        exit.invalid,
      )
    }
    if (status === 429 || status >= 500)
      return failed('UNREACHABLE', `${where} answered ${status}. Try again, or ask who runs it`, exit.unreachable)
    const answer = isHtml ? 'with a page of HTML' : `${status} for ${path}`
    return unreadable(where, '', `It answered ${answer} (expected JSON): check --address`)
  }
}

/** Returns whether an answer is a page for people, as a wrong address or a portal answers also with 200. */
function isPage(body: string): boolean {
  return /^\s*</.test(body)
}

function checkedAddress(address: string, allowHttp: boolean): string {
  try {
    // Checks it as the address of the service.
    createApi({ url: address, allowHttp }).close()
  } catch (error) {
    if (error instanceof RollkeyError)
      throw usage(inWordsOfCommands(error.message).replace(/^url: /, '--address: '), help)
    throw error
  }
  return address.replace(/\/+$/, '')
}
