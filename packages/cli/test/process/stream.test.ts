/** The watches of the command line follow the event stream, and ask after a reset for what they missed. */
import { expect, onTestFinished, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { startTcpProxy, type TcpProxy } from '../../../server/testkit/tcp-proxy.ts'
import { newServiceToken, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { startTestCli, type TestCli } from '../../testkit/cli.ts'
import { startInPipe } from '../../testkit/run.ts'

const testEnv = useTestEnv()

/** Puts a proxy between a command line and the service. Returns it with the targets of the requests through it. */
async function observed(cli: TestCli): Promise<TcpProxy & { readonly targets: readonly string[] }> {
  const proxy = await startTcpProxy(Number(new URL(testEnv.app.url).port))
  onTestFinished(() => proxy.close())
  const targets: string[] = []
  proxy.judge = (bytes) => {
    const [, target] = /^(?:GET|POST) (\S+)/.exec(bytes.toString('latin1')) ?? []
    if (target !== undefined) targets.push(decodeURIComponent(target))
    return 'pass'
  }
  const { token } = await newServiceToken(testEnv, cli.tenant, { role: 'reader' })
  Object.assign(cli.env, { ROLLKEY_URL: `http://127.0.0.1:${proxy.port}`, ROLLKEY_TOKEN: token })
  return Object.assign(proxy, { targets })
}

const print = `setInterval(() => {}, 60_000); console.log('has', Object.keys(process.env).filter((name) => /^V\\d$/.test(name)).join())`

test.each([
  ['run', ['--watch', '--', process.execPath, '-e', print]],
  ['typegen', ['--watch', '-o', 'variables.d.ts']],
])('%s --watch', async (command, args) => {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('V1', 'x')])
  const proxy = await observed(cli)
  const { child, ended } = startInPipe([command, ...args], cli, /$^/)
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (output += data.toString()))
  const streams = (): string[] => proxy.targets.filter((target) => target.startsWith('/v1/events?'))
  await expect.poll(() => output).toContain('V1')
  await expect.poll(streams).toHaveLength(1)
  await write(testEnv, cli.tenant, [secret('V2', 'x')])
  await expect.poll(() => output).toContain('V2')
  proxy.cut()
  await write(testEnv, cli.tenant, [secret('V3', 'x')])
  await expect.poll(() => output).toContain('V3')
  await expect.poll(() => streams().at(-1)).toContain('since=dev:2')
  child.kill('SIGTERM')
  await ended
})
