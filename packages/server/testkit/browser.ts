/**
 * A real headless Chromium: the one that CHROMIUM_PATH names, else the one that npm installed (x64 only). What a page
 * asks for and what its Content Security Policy forbids is written down; the policy holds, also for what tests evaluate.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import packed from '@sparticuz/chromium'
import { chromium, type Browser, type Page } from 'playwright-core'

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

const dumpStorage = `[
  ...Object.entries(localStorage).map(([name, value]) => 'localStorage ' + name + '=' + value),
  ...Object.entries(sessionStorage).map(([name, value]) => 'sessionStorage ' + name + '=' + value),
  'cookie ' + document.cookie,
].join('\\n')`

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark'
  /** Of the window, in CSS pixels. */
  readonly width?: number
  /** What relative addresses given to `goto` are relative to. */
  readonly baseUrl?: string
}

/** A page with cookies of its own, and what has happened on it so far. */
export interface TestPage {
  readonly page: Page
  /** What the Content Security Policy has forbidden: by its event, and by what the console says about it. */
  readonly cspViolations: readonly string[]
  /** Errors that nothing has caught. */
  readonly pageErrors: readonly string[]
  /** Every address asked for, those of documents too. */
  readonly requestedUrls: readonly string[]
  /** Closes the page and forgets its cookies. */
  close(): Promise<void>
}

export interface TestBrowser {
  newPage(options?: PageOptions): Promise<TestPage>
  close(): Promise<void>
}

/** Pages of one browser are all of the tests' own, so nothing is gained by keeping them apart: a third of the time. */
const fewProcesses = [
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-site-isolation-trials',
  '--disable-features=IsolateOrigins,site-per-process',
  '--renderer-process-limit=1',
]

/** Starts in about a second; the very first start unpacks the browser. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({ ...(await launchOptions()), args: fewProcesses })
  return {
    newPage: (options = {}) => newPage(browser, options),
    close: () => browser.close(),
  }
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

/** Unpacked aside and renamed, so that test files that start at one time see a whole browser or none. */
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

/** The package knows no folder but the temporary one, which it asks for before it first waits. */
function unpackInto(folder: string): Promise<string> {
  const { TMPDIR: before, AWS_LAMBDA_JS_RUNTIME: runtimeBefore } = process.env
  process.env['TMPDIR'] = folder
  // With the libraries that a bare system lacks.
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
    // Drawing what moves takes much of a processor without graphics.
    reducedMotion: 'reduce',
    // Without a locale around it, this Chromium names one that its own Intl refuses: en-US@posix.
    locale: 'en-US',
    ...(colorScheme && { colorScheme }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
  })
  const cspViolations: string[] = []
  const pageErrors: string[] = []
  const requestedUrls: string[] = []
  await context.exposeFunction(reportName, (violation: string) => cspViolations.push(violation))
  await context.addInitScript(reportViolations)
  context.on('console', (message) => {
    if (/content.security.policy/i.test(message.text())) cspViolations.push(message.text())
  })
  context.on('weberror', (error) => pageErrors.push(String(error.error())))
  context.on('request', (request) => requestedUrls.push(request.url()))
  return { page: await context.newPage(), cspViolations, pageErrors, requestedUrls, close: () => context.close() }
}

/** What axe finds wrong with the page as it is now, a line each; frames are not looked into. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Not legacy, it would open a page of its own in the same context, which counts as requested.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    // Off by default. Who controls the page by voice says the words that are seen (WCAG 2.2, 2.5.3).
    .options({ rules: { 'label-content-name-mismatch': { enabled: true } } })
    .analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = '' }) => `${id} at ${target.join(' ')}: ${failureSummary.replace(/\s+/g, ' ')}`,
    ),
  )
}

/** All that a script of the page can read of what is kept: both storages and the cookies. */
export function storageDump(page: Page): Promise<string> {
  return page.evaluate<string>(dumpStorage)
}

export interface PasskeyDevice {
  /** Of what sites its passkeys are, one each. */
  sites(): Promise<string[]>
  /** Takes the device away. */
  remove(): Promise<void>
}

/** A device that keeps passkeys and says yes to everything. Browsers make none for an IP address: use localhost. */
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

/** Into the folder that ROLLKEY_SCREENSHOTS names, if it does. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['ROLLKEY_SCREENSHOTS']
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true })
}
