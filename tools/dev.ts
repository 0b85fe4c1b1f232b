/**
 * `npm run dev`: the service, which restarts when its sources or the contract's change, behind Vite, which serves the web
 * application with hot module replacement. Both share one address, so cookies, passkeys and links work as in production.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createServer, type Plugin } from 'vite'
import { contentSecurityPolicy } from '../packages/server/src/http/pages/static-files.ts'
import { freePort } from '../packages/server/testkit/free-port.ts'
import { developmentStore } from './dev-store.ts'

const service = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url))
const dashboard = fileURLToPath(new URL('../packages/dashboard', import.meta.url))

const {
  ROLLKEY_HOST: host = '127.0.0.1',
  ROLLKEY_PORT: port = '8787',
  ROLLKEY_PUBLIC_URL: publicUrl = `http://localhost:${port}`,
  ROLLKEY_DATA_DIR: dataDir = developmentStore,
} = process.env
const servicePort = await freePort()

/** Serves pages with the policy of production, so that a page that violates it fails in development first. */
function withPolicy(): Plugin {
  const nonce = randomBytes(16).toString('base64')
  // Vite adds an inline script to the document.
  const policy = contentSecurityPolicy(nonce).replace("script-src 'self'", `script-src 'self' 'nonce-${nonce}'`)
  return {
    name: 'content-security-policy',
    config: () => ({ html: { cspNonce: nonce }, server: { headers: { 'content-security-policy': policy } } }),
    transformIndexHtml: (html) => html.replaceAll('__CSP_NONCE__', nonce),
  }
}

/**
 * Starts the service under Node's watch mode, which restarts it when a file that it imports changes. Node also takes the
 * arguments of the command, such as --inspect.
 */
function startService() {
  const env = {
    ...process.env,
    ROLLKEY_HOST: '127.0.0.1',
    ROLLKEY_PORT: String(servicePort),
    ROLLKEY_PUBLIC_URL: publicUrl,
    ROLLKEY_DATA_DIR: dataDir,
  }
  const nodeArgs = ['--watch', '--watch-preserve-output', ...process.argv.slice(2)]
  return spawn(process.execPath, [...nodeArgs, service], { env, stdio: 'inherit' })
}

/** Connects to the service, and waits while it restarts, so that requests of the page do not fail. */
class PatientAgent extends Agent {
  override createConnection: Agent['createConnection'] = (_, callback) => {
    const tryAgain = (): void => void setTimeout(attempt, 100)
    const attempt = (): void => {
      const socket = connect(servicePort, '127.0.0.1').once('error', tryAgain)
      socket.once('connect', () => callback?.(null, socket.off('error', tryAgain)))
    }
    attempt()
    return undefined
  }
}

const vite = await createServer({
  root: dashboard,
  clearScreen: false,
  plugins: [withPolicy()],
  server: {
    host,
    port: Number(port),
    strictPort: true,
    allowedHosts: [new URL(publicUrl).hostname],
    proxy: {
      '^/(v1|identity|cli|docs|[.]well-known)/': {
        target: `http://127.0.0.1:${servicePort}`,
        agent: new PatientAgent(),
      },
    },
  },
})
await vite.listen().catch((error: Error) => {
  console.error(`${error.message}: stop what uses it, or set ROLLKEY_PORT.`)
  process.exit(1)
})
const child = startService()

let isStopping = false
function stop(): void {
  isStopping = true
  child.kill('SIGTERM')
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
process.on('exit', () => child.kill('SIGTERM'))
child.on('exit', (code, signal) => {
  if (!isStopping) console.error(`The service ended (${signal ?? code}), so the web application stops too.`)
  void vite.close().finally(() => process.exit(isStopping ? 0 : 1))
})

console.log(`\nOpen ${publicUrl}. Ctrl-C stops both.\n`)
