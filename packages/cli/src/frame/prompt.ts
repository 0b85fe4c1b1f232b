/** Questions to a person, written to stderr. Nobody is asked in CI, in a pipe or with --no-input. */
import { exit, Failure, usage } from './failure.ts'

export class Prompt {
  readonly isPossible: boolean
  readonly #help: string

  /** `help`: the command that tells which flag answers the question as well. */
  constructor(isPossible: boolean, help: string) {
    this.isPossible = isPossible
    this.#help = help
  }

  async confirm(question: string, flag: string): Promise<void> {
    const { confirm } = await this.#prompts(`This needs ${flag} where nobody can be asked.`)
    if (!(await answered(confirm({ message: question, initialValue: false, output: process.stderr })))) {
      throw new Failure('CANCELLED', 'Nothing was changed.')
    }
  }

  /** Without echo. */
  async secret(question: string, instead: string): Promise<string> {
    const { password } = await this.#prompts(instead)
    return answered(password({ message: question, mask: '•', output: process.stderr }))
  }

  async text(question: string, instead: string, initialValue = ''): Promise<string> {
    const { text } = await this.#prompts(instead)
    return answered(text({ message: question, initialValue, output: process.stderr }))
  }

  async select(question: string, values: readonly string[], instead: string): Promise<string> {
    const { select } = await this.#prompts(instead)
    const options = values.map((value) => ({ value, label: value }))
    return answered(select({ message: question, options, output: process.stderr }))
  }

  async #prompts(instead: string): Promise<typeof import('@clack/prompts')> {
    if (!this.isPossible) throw usage(instead, this.#help)
    return import('@clack/prompts')
  }
}

async function answered<Value>(asked: Promise<Value | symbol>): Promise<Value> {
  const answer = await asked
  if (typeof answer === 'symbol') throw new Failure('CANCELLED', 'Nothing was changed.', { status: exit.error })
  return answer
}
