/** Prompts on stderr. There are none in CI, in a pipe or with --no-input. */
import { CliError, usage } from './cli-error.ts'
import { printableLine } from './printable.ts'

export class Prompt {
  readonly isPossible: boolean

  constructor(isPossible: boolean) {
    this.isPossible = isPossible
  }

  /**
   * Returns whether a command goes on after its preview, because it can ask, need not, or only shows. Otherwise it shows none: what is
   * refused would read as done.
   */
  isFollowed({ yes, dryRun }: { readonly yes?: true | undefined; readonly dryRun?: true | undefined }): boolean {
    return this.isPossible || yes === true || dryRun === true
  }

  /** Asks for a confirmation. Throws CANCELLED for No, and USAGE with the flag to use if no prompt is possible. */
  async confirm(question: string, flag: string): Promise<void> {
    if (!this.isPossible)
      throw usage(`There is no terminal to ask "${printableLine(question)}"`, `the same command with ${flag}`)
    const { confirm } = await import('@clack/prompts')
    if (!(await answered(confirm({ message: printableLine(question), initialValue: false, output: process.stderr })))) {
      throw new CliError('CANCELLED', 'Nothing was changed.')
    }
  }

  /** Asks for a text without echo. */
  async secret(question: string, message: string): Promise<string> {
    this.#assertPossible(message)
    const { password } = await import('@clack/prompts')
    return answered(password({ message: printableLine(question), mask: '•', output: process.stderr }))
  }

  async text(question: string, instead: string, initialValue = ''): Promise<string> {
    this.#assertPossible(instead)
    const { text } = await import('@clack/prompts')
    return answered(text({ message: printableLine(question), initialValue, output: process.stderr }))
  }

  async select(question: string, values: readonly string[], instead: string): Promise<string> {
    this.#assertPossible(instead)
    const { select } = await import('@clack/prompts')
    const options = values.map((value) => ({ value, label: printableLine(value) }))
    return answered(select({ message: printableLine(question), options, output: process.stderr }))
  }

  #assertPossible(instead: string): void {
    if (!this.isPossible) throw usage(instead)
  }
}

async function answered<Answer>(asked: Promise<Answer>): Promise<Exclude<Answer, symbol>> {
  const answer = await asked
  if (typeof answer === 'symbol') throw new CliError('CANCELLED', 'Nothing was changed.')
  return answer as Exclude<Answer, symbol>
}
