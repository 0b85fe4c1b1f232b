import { openTrustedUrls } from '@rollkey/sdk/node'
import { command } from '../frame/command.ts'
import { exit, CliError, usage } from '../frame/cli-error.ts'

interface Options {
  readonly list?: true
  readonly remove?: true
}

const help = 'rollkey trust-url --help'

export const trustUrl = command<Options>({
  name: 'trust-url',
  args: '[URL]',
  summary: 'Let ROLLKEY_TOKEN be sent to an address that only rollkey.json names',
  reach: 'nothing',
  options: [
    ['--list', 'show the confirmed addresses'],
    ['--remove', 'take the address off the list'],
  ],
  examples: [
    ['trust-url https://rollkey.example.com', 'for this user, on this machine'],
    ['trust-url --list', 'one address a line'],
    ['trust-url --remove https://rollkey.example.com', 'no longer'],
  ],
  async run({ out, env }, [url], { list, remove }) {
    const trusted = openTrustedUrls({ env })
    if (list) {
      if (url !== undefined || remove) throw usage('--list takes no URL and no other option', help)
      const urls = trusted.list()
      if (out.isJson) out.json({ urls })
      else for (const each of urls) out.line(each)
      return
    }
    if (url === undefined) throw usage('The address is missing; give it, or --list', help)
    if (remove) {
      if (!(await trusted.remove(url))) {
        throw new CliError('NOT_FOUND', 'This address is not on the list', {
          status: exit.notFound,
          command: 'rollkey trust-url --list',
        })
      }
      if (out.isJson) out.json({ removed: true })
      else out.note(`Removed. ROLLKEY_TOKEN is no longer sent there on the word of rollkey.json.`)
      return
    }
    const added = await trusted.add(url)
    if (out.isJson) out.json({ url: added })
    else out.note(`ROLLKEY_TOKEN is sent to ${added} from now on, also where only rollkey.json names it.`)
  },
})
