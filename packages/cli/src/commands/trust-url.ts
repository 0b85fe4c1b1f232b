import { openTrustedUrls } from '@rollkey/sdk/node'
import { command } from '../frame/command.ts'
import { exit, CliError, usage } from '../frame/cli-error.ts'

interface Options {
  readonly list?: true
  readonly remove?: true
}

export const trustUrl = command<Options>({
  name: 'trust-url',
  args: '[URL]',
  summary: 'Trust an address that only rollkey.json names, so that ROLLKEY_TOKEN is sent there',
  target: 'nothing',
  options: [
    ['--list', 'list the trusted addresses'],
    ['--remove', 'stop trusting the address'],
  ],
  examples: [
    ['trust-url https://rollkey.example.com', 'for this user, on this machine'],
    ['trust-url --list', 'one address per line'],
    ['trust-url --remove https://rollkey.example.com', 'stops trusting it'],
  ],
  async run({ out, env }, [url], { list, remove }) {
    const trusted = openTrustedUrls({ env })
    if (list) {
      if (url !== undefined || remove) throw usage('--list cannot be combined with a URL or --remove')
      const urls = trusted.list()
      if (out.isJson) out.json({ urls })
      else for (const each of urls) out.line(each)
      return
    }
    if (url === undefined) throw usage('The address is missing (expected a URL or --list)')
    if (remove) {
      if (!(await trusted.remove(url))) {
        throw new CliError('NOT_FOUND', 'This address is not trusted', {
          status: exit.notFound,
          command: 'rollkey trust-url --list',
        })
      }
      if (out.isJson) out.json({ removed: true })
      else out.note(`Removed. ROLLKEY_TOKEN is no longer sent there if only rollkey.json names the address.`)
      return
    }
    const added = await trusted.add(url)
    if (out.isJson) out.json({ url: added })
    else out.note(`ROLLKEY_TOKEN is now sent to ${added} even if only rollkey.json names it.`)
  },
})
