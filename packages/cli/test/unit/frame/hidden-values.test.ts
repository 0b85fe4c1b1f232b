/** Tests that no error quotes a value that stands where none is expected. */
import { expect, test } from 'vitest'
import { useFolder } from '../../../../server/testkit/folder.ts'
import { commands } from '../../../src/commands/index.ts'
import { inProcess } from '../../../testkit/run.ts'

const cwd = useFolder()
const env = { HOME: cwd, XDG_CONFIG_HOME: cwd, ROLLKEY_URL: 'http://127.0.0.1:1', ROLLKEY_TOKEN: 'svc_st_x' }
const canary = 's3cret-canary'
const names = commands.map(({ name }) => name).filter((name) => name !== 'run')

test.each([[`-${canary}`], [`--${canary}`], [`--${canary}=x`], [`--x=${canary}`], ['A', 'B', 'C', 'D', canary]])(
  'no command says what an argument is that it does not know: %s',
  async (...odd) => {
    const shown: string[] = []
    for (const name of names) {
      const { stdout, stderr } = await inProcess([...name.split(' '), ...odd], { env, cwd })
      if ((stdout + stderr).includes(canary)) shown.push(name)
    }
    expect(shown).toEqual([])
  },
)

test.each([
  [['set', 'KEY', `-${canary}`], 'unknown option; a value that begins with - follows --; try: rollkey set --help'],
  [['set', 'KEY', canary, canary], "too many arguments for 'set'"],
  [[canary], 'unknown command; try: rollkey --help'],
  [[`--${canary}`, 'get', 'A'], 'unknown option before the command'],
  [['set', `KEY=${canary}`], ''],
  [['get', 'A', `--sed=${canary}`], "unknown option '--sed' (Did you mean --seed?); try: rollkey get --help"],
  [
    ['delete', 'KEY', `--background=${canary}`],
    "unknown option '--background'; a value that begins with - follows --;",
  ],
  [['get', 'KEY', '-q', canary], "unknown option '-q'; a value that begins with - follows --;"],
  [['set', 'KEY', `--background=${canary}`], 'unknown option; a value that begins with - follows --;'],
  [['set', 'KEY', '-hunter'], 'unknown option; a value that begins with - follows --;'],
  [['set', 'KEY', '--hunter'], 'unknown option; a value that begins with - follows --;'],
  [['override', 'set', 'KEY', '--hunter'], 'unknown option; a value that begins with - follows --;'],
  [['--verbose', 'get', canary], "unknown option '--verbose' before the command"],
  [['undo', canary], "unknown command 'undo' (Did you mean restore?)"],
  [['users'], "unknown command 'users' (Did you mean open members?)"],
  [['token', 'users'], "unknown command 'users'; try"],
  [
    ['roll', 'NEW_CHECKOUT', canary],
    `unknown command 'NEW_CHECKOUT' (Did you mean "rollkey roll show NEW_CHECKOUT"?); try`,
  ],
  [
    ['roll', 'chance', 'A', canary],
    "unknown command 'chance' (Did you mean set NAME --chance 50%?); try: rollkey roll set --help",
  ],
  [['chance', 'A', canary], '(Did you mean roll set NAME --chance 50%, change?); try: rollkey --help'],
  [['change', 'chance', canary], "unknown command 'chance'"],
  [['roll', canary], 'unknown command (Did you mean "rollkey roll show NAME"?); try: rollkey roll --help'],
  [['roll', 'shw', canary], "unknown command 'shw' (Did you mean show?)"],
  [['access', 'prod'], `unknown command 'prod' (Did you mean "rollkey access list prod"?)`],
  [['override', 'API_KEY'], `unknown command 'API_KEY' (Did you mean "rollkey override set API_KEY"?)`],
  [['get', 'A', '--sed', canary], "unknown option '--sed' (Did you mean --seed?); try: rollkey get --help"],
])('%j is refused without its value', async (args, expected) => {
  const { status, stdout, stderr } = await inProcess(args, { env, cwd })
  expect(status).not.toBe(0)
  expect(stderr).toContain(expected)
  expect(stdout + stderr).not.toContain(canary)
})
