import { quoteForDotenv, type Declaration } from '@rollkey/contract/rules'
import { isEnvironmentName } from '../formats/refuse.ts'

/** Returns a `.env.example`: each declared variable with its description, and its example if it has one. */
export function envExample(declared: readonly Declaration[]): string {
  return declared
    .filter(({ name }) => isEnvironmentName(name))
    .map(({ name, description = '', example = '', required }) => {
      const lines = description.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '')
      const comment = [...lines, ...(required === 'all' ? ['Required.'] : [])].map((line) => `# ${line}\n`).join('')
      return `${comment}${name}=${quoteForDotenv(example) ?? ''}\n`
    })
    .join('\n')
}
