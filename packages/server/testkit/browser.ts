/**
 * Runs a real headless Chromium: the one that CHROMIUM_PATH names, or else the one that npm installed (x64 only). Records
 * what a page requests and what its Content Security Policy blocks. The policy also applies to code that tests evaluate.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import packed from '@sparticuz/chromium'
import { chromium, type Browser, type Page } from 'playwright-core'

const axeSource = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
)

const cacheDir = path.resolve(import.meta.dirname, '../../../node_modules/.cache')

const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

/** Bound into every page; strings, because this program is not compiled for browsers. */
const reportName = 'rollkeyTestViolation'
const reportViolations = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
  ${reportName}(effectiveDirective + ' forbids ' + (blockedURI || 'something'))
})`

/**
 * Keeps what a page shows for a while, since a slow machine would not get to it in time: toasts, and what is shown for 10 or 30 seconds,
 * except on a page whose clock the test moves.
 */
const keepWhatGoes = `{
  const machine = setTimeout
  let latest = machine
  const isOfToast = () => /toasts-|notifications/.test(new Error().stack.split('\\n')[4])
  const goes = (ms) => (latest === machine && (ms === 10_000 || ms === 30_000)) || (ms >= 1_000 && isOfToast())
  Object.defineProperty(globalThis, 'setTimeout', {
    get: () => {
      const set = latest
      return (run, ms, ...more) => set(goes(ms) ? () => {} : run, ms, ...more)
    },
    // The clock of a test replaces it.
    set: (other) => (latest = other),
  })
}`

const dumpStorage = `[
  ...Object.entries(localStorage).map(([name, value]) => 'localStorage ' + name + '=' + value),
  ...Object.entries(sessionStorage).map(([name, value]) => 'sessionStorage ' + name + '=' + value),
  'cookie ' + document.cookie,
].join('\\n')`

/** How long an action, a navigation or a wait of a page may take. */
const patienceMs = 300_000

interface PageOptions {
  readonly colorScheme?: 'light' | 'dark'
  /** Size of the window, in CSS pixels. */
  readonly width?: number
  /** Base URL of relative addresses in `goto`. */
  readonly baseUrl?: string
}

/** A page with separate cookies, and a record of what has happened on it. */
export interface TestPage {
  readonly page: Page
  /** Violations of the Content Security Policy, from its event and from the console. */
  readonly cspViolations: readonly string[]
  /** Uncaught errors. */
  readonly pageErrors: readonly string[]
  /** All requested addresses, including documents. */
  readonly requestedUrls: readonly string[]
  /** Closes the page and deletes its cookies. */
  close(): Promise<void>
}

export interface TestBrowser {
  newPage(options?: PageOptions): Promise<TestPage>
  close(): Promise<void>
}

/** Options that reduce processes and turn off site isolation. All pages belong to the tests, and isolation takes a third of the time. */
const fewProcesses = [
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
]

/** Starts the browser in about a second. The first start unpacks it. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await launch()
  return {
    newPage: (options = {}) => newPage(browser, options),
    close: () => browser.close(),
  }
}

let shared: Promise<Browser> | undefined

/** Returns the browser that all test files of this process use, and that ends with it. `close` closes the pages of the caller. */
export async function sharedBrowser(): Promise<TestBrowser> {
  const running = await shared
  const browser = running?.isConnected() ? running : await (shared = launch())
  const pages: TestPage[] = []
  return {
    async newPage(options = {}) {
      const page = await newPage(browser, options)
      pages.push(page)
      return page
    },
    close: async () => void (await Promise.all(pages.map((page) => page.close()))),
  }
}

async function launch(): Promise<Browser> {
  // Scroll bars take space, as in most browsers of desktops.
  return chromium.launch({ ...(await launchOptions()), args: fewProcesses, ignoreDefaultArgs: ['--hide-scrollbars'] })
}

async function launchOptions(): Promise<{ executablePath: string; env?: Record<string, string> }> {
  const { CHROMIUM_PATH: chosen, ...inherited } = process.env as Record<string, string>
  if (chosen) return { executablePath: chosen }
  const folder = await unpackedFolder()
  return {
    executablePath: path.join(folder, 'chromium'),
    env: {
      ...inherited,
      LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: path.join(folder, 'fonts', 'fonts.conf'),
    },
  }
}

/** Unpacks to another folder and renames it, so that test files that start together see a complete browser or none. */
async function unpackedFolder(): Promise<string> {
  const folder = path.join(cacheDir, `chromium-${packedVersion()}`)
  if (existsSync(folder)) return folder
  mkdirSync(cacheDir, { recursive: true })
  const aside = mkdtempSync(`${folder}-`)
  try {
    await unpackInto(aside)
    writeFileSync(path.join(aside, 'fonts', 'fonts.conf'), fontSettings)
    for (const each of [aside, path.join(aside, 'chromium')]) chmodSync(each, 0o755)
    renameSync(aside, folder)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

function packedVersion(): string {
  const packageFile = path.resolve(
    createRequire(import.meta.url).resolve('@sparticuz/chromium'),
    '../../../package.json',
  )
  return (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version
}

/** The package always uses the temporary folder, which it looks up before its first await. */
function unpackInto(folder: string): Promise<string> {
  const { TMPDIR: before, AWS_LAMBDA_JS_RUNTIME: runtimeBefore } = process.env
  process.env['TMPDIR'] = folder
  // Adds the libraries that a minimal system lacks.
  process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs24.x'
  try {
    return packed.executablePath()
  } finally {
    setVariable('TMPDIR', before)
    setVariable('AWS_LAMBDA_JS_RUNTIME', runtimeBefore)
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

async function newPage(browser: Browser, { colorScheme, width = 1280, baseUrl }: PageOptions): Promise<TestPage> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    // Animations take much processor time without a graphics card.
    reducedMotion: 'reduce',
    // Without a locale in the environment, this Chromium uses en-US@posix, which its Intl refuses.
    locale: 'en-US',
    timezoneId: 'UTC',
    ...(colorScheme && { colorScheme }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
  })
  // For what hangs only: nothing else may end a test.
  context.setDefaultTimeout(patienceMs)
  const cspViolations: string[] = []
  const pageErrors: string[] = []
  const requestedUrls: string[] = []
  await context.exposeFunction(reportName, (violation: string) => cspViolations.push(violation))
  await context.addInitScript(reportViolations)
  await context.addInitScript(keepWhatGoes)
  context.on('console', (message) => {
    if (/content.security.policy/i.test(message.text())) cspViolations.push(message.text())
  })
  context.on('weberror', (error) => pageErrors.push(String(error.error())))
  context.on('request', (request) => requestedUrls.push(request.url()))
  return { page: await context.newPage(), cspViolations, pageErrors, requestedUrls, close: () => context.close() }
}

interface AxeResult {
  readonly id: string
  readonly nodes: readonly {
    readonly html: string
    readonly target: readonly string[]
    readonly failureSummary?: string
  }[]
}

/**
 * Returns the problems that axe finds on the page in its current state, one per line. It does not check frames. Without
 * `rules` it checks all. The builder of axe for Playwright would collect what is right too, which takes three times as long.
 */
export async function axeViolations(page: Page, ...rules: string[]): Promise<string[]> {
  return violationsIn(page, 'document', rules)
}

/** Returns the problems that axe finds in front of the page if a dialog is open, with its menus and toasts, otherwise on the page. */
export async function axeViolationsInFront(page: Page): Promise<string[]> {
  const isOpen = `document.querySelector('[aria-modal=true]')`
  return violationsIn(page, `${isOpen} ? { exclude: '#root' } : document`, [])
}

async function violationsIn(page: Page, place: string, rules: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axeSource)
  const options = {
    resultTypes: ['violations'],
    ...(rules.length > 0
      ? { runOnly: rules }
      : // Off by default. People who control the page by voice say the visible words (WCAG 2.2, 2.5.3).
        { rules: { 'label-content-name-mismatch': { enabled: true } } }),
  }
  const run = `axe.run(${place}, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = await page.evaluate<readonly AxeResult[]>(run)
  return violations.flatMap(({ id, nodes }) =>
    nodes
      // A hint describes a control and is read with it, wherever it stands in the document.
      .filter(({ html }) => id !== 'region' || !/^<[^>]* role="tooltip"/.test(html))
      .map(({ target, failureSummary = '' }) => `${id} at ${target.join(' ')}: ${failureSummary.replace(/\s+/g, ' ')}`),
  )
}

/** Returns all stored data that a script of the page can read: both storages and the cookies. */
export function storageDump(page: Page): Promise<string> {
  return page.evaluate<string>(dumpStorage)
}

export interface PasskeyDevice {
  /** Sites of its passkeys, one entry per passkey. */
  sites(): Promise<string[]>
  /** Removes the device. */
  remove(): Promise<void>
}

/** Adds a device that stores passkeys and approves everything. Browsers create no passkey for an IP address: use localhost. */
export async function addPasskeyDevice(page: Page): Promise<PasskeyDevice> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async sites() {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ rpId = '' }) => rpId)
    },
    async remove() {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
      await session.detach()
    },
  }
}

/** Saves a screenshot in the folder that ROLLKEY_SCREENSHOTS names, if it is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['ROLLKEY_SCREENSHOTS']
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true })
}
