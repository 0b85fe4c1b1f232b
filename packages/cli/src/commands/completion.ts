import { completionScripts, type Shell } from '../completion/scripts.ts'
import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'

export const completion = command({
  name: 'completion',
  args: '<SHELL>',
  completes: [Object.keys(completionScripts), undefined],
  summary: 'Print a completion script for bash, zsh or fish',
  target: 'nothing',
  examples: [
    ['completion bash >> ~/.bashrc', 'for bash'],
    ['completion zsh > "${fpath[1]}/_rollkey"', 'for zsh'],
    ['completion fish > ~/.config/fish/completions/rollkey.fish', 'for fish'],
  ],
  async run({ out }, [shell = '']) {
    if (!Object.hasOwn(completionScripts, shell)) {
      throw usage(`Unknown shell ${JSON.stringify(shell)} (expected bash, zsh or fish)`)
    }
    const script = completionScripts[shell as Shell]
    if (out.isJson) out.json({ shell, script })
    else out.write(script)
  },
})
